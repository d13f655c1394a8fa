import type { Held, Installation, Ownership, SandboxRecord, SessionRecord, World } from '@sallyport/authority';
import {
  type Configuration,
  formatServiceRef,
  type Host,
  type Instant,
  type MemberId,
  type SandboxId,
  type ServiceName,
} from '@sallyport/model';
import { judgeEligible } from './eligibility.ts';
import type { Evidence } from './evidence.ts';
import { CLAUSES } from './explain-clauses.ts';
import { findDeclared } from './explain-name.ts';
import { type DiscoveryRecord, recordOf } from './record.ts';
import type { Scope } from './scope.ts';

export type ClauseName =
  | 'name'
  | 'sandbox'
  | 'declaration'
  | 'configuration'
  | 'session'
  | 'runtime'
  | 'credential'
  | 'owner'
  | 'member'
  | 'endpoint'
  | 'report'
  | 'renewal'
  | 'grant';

/** What was found of one clause, in a sentence, and what to do where it does not hold. */
export type Finding =
  | { readonly holds: true; readonly detail: string }
  | { readonly holds: false; readonly detail: string; readonly nextStep: string };

export interface ExplainedClause {
  readonly name: ClauseName;
  readonly state: 'holds' | 'fails' | 'not-reached';
  readonly detail: string;
  readonly nextStep: string;
}

export interface Explanation {
  readonly host: Host;
  readonly clauses: readonly ExplainedClause[];
  /** Whether discovery shows it, to whoever may see it. It is never said to be healthy: that is not known here. */
  readonly published: DiscoveryRecord | undefined;
  /** Whose host it is, where it is declared and may be seen. */
  readonly about: About | undefined;
}

export interface About {
  readonly workspace: Configuration['workspace'];
  readonly sandbox: Configuration['sandbox'];
  readonly service: ServiceName;
}

export interface ExplainQuestion {
  readonly world: World;
  readonly evidence: Evidence;
  readonly now: Instant;
  readonly host: Host;
  /** What the one who asks may see: of anything else it learns no more than of what there is not. */
  readonly scope: Scope;
  /** For whom the grant is judged, and what that is. Undefined: an operator, who needs none. */
  readonly reader: { readonly principal: string; readonly scope: Scope } | undefined;
}

/** Everything that the clauses look at, as far as it is there. */
export interface Facts extends ExplainQuestion {
  readonly ref: string;
  readonly sandboxId: SandboxId;
  readonly sandbox: Held<SandboxRecord>;
  readonly config: Held<Configuration>;
  readonly owner: Held<Ownership> | undefined;
  /** Whose session it is about: the owner's, or else of whoever has one. */
  readonly memberId: MemberId | undefined;
  readonly session: Held<SessionRecord> | undefined;
  readonly installation: Held<Installation> | undefined;
}

/** Why a host is, or is not, published: the clauses in order, up to the first that does not hold. */
export function explainHost(question: ExplainQuestion): Explanation {
  const { world, evidence, now, host } = question;
  const found = findDeclared(question);
  if (found.kind === 'missing') return { host, published: undefined, about: undefined, clauses: inOrder(found.findings) };
  const { sandboxId, sandbox, config, service } = found;
  const { workspace } = sandbox.value;
  const owner = world.owners.get(sandboxId);
  const memberId = memberOf(world, sandboxId, owner?.value);
  const about = { workspace, sandbox: sandbox.value.sandbox, service };
  const facts: Facts = {
    ...question,
    ref: formatServiceRef(about),
    ...{ sandboxId, sandbox, config, owner, memberId },
    session: memberId === undefined ? undefined : world.session(sandboxId, memberId),
    installation: world.installations.get(sandboxId),
  };
  const findings = new Map(found.findings);
  for (const [name, judge] of CLAUSES) {
    const finding = judge(facts);
    findings.set(name, finding);
    if (!finding.holds) break;
  }
  const eligible = judgeEligible(world, evidence, sandboxId, now);
  const route = eligible.ok ? eligible.value.installation.routes.find((each) => each.host === host) : undefined;
  const published =
    eligible.ok && route !== undefined
      ? { ...recordOf(sandboxId, eligible.value, route), until: eligible.value.until }
      : undefined;
  return { host, published, about, clauses: inOrder(findings) };
}

/** The owner, or whoever it is offered to, or was fenced; else any member that has a session. */
function memberOf(world: World, sandboxId: SandboxId, owner: Ownership | undefined): MemberId | undefined {
  const named = owner?.kind === 'owned' ? owner.by : owner?.kind === 'offered' ? owner.to : undefined;
  if (named !== undefined && world.session(sandboxId, named) !== undefined) return named;
  return world.sessionsOf(sandboxId).keys().next().value ?? named;
}

const ORDER: readonly ClauseName[] = [
  ...(['name', 'sandbox', 'declaration', 'configuration', 'session', 'runtime', 'credential'] as const),
  ...(['owner', 'member', 'endpoint', 'report', 'renewal', 'grant'] as const),
];

const inOrder = (findings: ReadonlyMap<ClauseName, Finding>): ExplainedClause[] =>
  ORDER.map((name) => {
    const finding = findings.get(name);
    if (finding === undefined) return { name, state: 'not-reached', detail: '', nextStep: '' };
    if (finding.holds) return { name, state: 'holds', detail: finding.detail, nextStep: '' };
    return { name, state: 'fails', detail: finding.detail, nextStep: finding.nextStep };
  });
