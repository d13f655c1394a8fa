import { type Status, status } from './status.ts';

/** A rule of a Role or ClusterRole, as in the manifest. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** Undefined: a ClusterRoleBinding. */
  readonly namespace?: string | undefined;
}

export interface Action {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Undefined: the cluster, or all namespaces. */
  readonly namespace: string | undefined;
}

/** Lets through what is granted, and keeps account of what was used. */
export interface Rbac {
  grant(username: string, grants: readonly Grant[]): void;
  judge(username: string, action: Action): Status | undefined;
  /** The answer alone, as an access review gives it: nothing is used by asking. */
  allows(username: string, action: Action): boolean;
  /** `verb group/resource` of what was granted to a user and never used: surplus. */
  unused(username: string): readonly string[];
  /** The same of what was refused: missing. */
  refused(username: string): readonly string[];
}

export function createRbac(): Rbac {
  const granted = new Map<string, readonly Grant[]>();
  const used = new Map<string, Set<string>>();
  const refusals = new Map<string, Set<string>>();
  const note = (book: Map<string, Set<string>>, username: string, what: string): void =>
    void book.set(username, (book.get(username) ?? new Set()).add(what));

  const allows = (username: string, { verb, group, resource, namespace }: Action): boolean =>
    (granted.get(username) ?? []).some(
      (grant) =>
        (grant.namespace === undefined || grant.namespace === namespace) &&
        grant.rules.some(
          ({ verbs, apiGroups, resources }) => has(verbs, verb) && has(apiGroups, group) && has(resources, resource),
        ),
    );

  return {
    grant: (username, grants) => void granted.set(username, grants),
    allows,
    judge(username, action) {
      const { verb, group, resource, namespace } = action;
      const is = allows(username, action);
      note(is ? used : refusals, username, `${verb} ${group}/${resource}`);
      if (is) return undefined;
      const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
      return status(
        403,
        'Forbidden',
        `${resource}${group === '' ? '' : `.${group}`} is forbidden: User "${username}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`,
      );
    },
    unused(username) {
      const grants = granted.get(username) ?? [];
      const all = grants.flatMap(({ rules }) =>
        rules.flatMap(({ verbs, apiGroups, resources }) =>
          verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`))),
        ),
      );
      return [...new Set(all)].filter((each) => used.get(username)?.has(each) !== true);
    },
    refused: (username) => [...(refusals.get(username) ?? [])],
  };
}

const has = (list: readonly string[], value: string): boolean => list.includes(value) || list.includes('*');
