import type { Change } from '../api/cache.ts';
import { type Role, type RoleOptions, roleOf } from './declared.ts';
import type { Pod } from './pod.ts';

/** Pods as everything here looks them up: by UID, and by who uses an address now. Never by name. */
export interface PodIndex {
  pod(uid: string): Pod | undefined;
  /** What a Pod that is held is to us. */
  role(uid: string): Role;
  /** Pods on a network of their own that have this address and may still use it. */
  usersOf(ip: string): ReadonlySet<string>;
  apply(changes: readonly Change<Pod>[]): void;
  readonly size: number;
}

const NOBODY: ReadonlySet<string> = new Set();
const NO_ROLE: Role = { kind: 'none' };

export function createPodIndex(options: RoleOptions): PodIndex {
  const pods = new Map<string, Pod>();
  const roles = new Map<string, Role>();
  const byIp = new Map<string, Set<string>>();

  function unuse(pod: Pod): void {
    for (const ip of pod.ips) {
      const users = byIp.get(ip);
      users?.delete(pod.uid);
      if (users?.size === 0) byIp.delete(ip);
    }
  }

  function use(pod: Pod): void {
    // A Pod on its node's network shares the address by right; one that ended has given it back.
    if (pod.hostNetwork || pod.terminal) return;
    for (const ip of pod.ips) byIp.set(ip, (byIp.get(ip) ?? new Set()).add(pod.uid));
  }

  return {
    pod: (uid) => pods.get(uid),
    role: (uid) => roles.get(uid) ?? NO_ROLE,
    usersOf: (ip) => byIp.get(ip) ?? NOBODY,
    apply(changes) {
      for (const change of changes) {
        const { uid } = change.item;
        const before = pods.get(uid);
        if (before !== undefined) unuse(before);
        if (change.kind === 'removed') {
          pods.delete(uid);
          roles.delete(uid);
          continue;
        }
        pods.set(uid, change.item);
        const role = roleOf(change.item, options);
        if (role.kind === 'none') roles.delete(uid);
        else roles.set(uid, role);
        use(change.item);
      }
    },
    get size() {
      return pods.size;
    },
  };
}
