import { err, ok, type PoolId, type Result } from '@sallyport/model';
import type { Claims } from './claims.ts';
import { dedicatedPool } from './declared.ts';
import type { Container, Pod } from './pod.ts';
import type { PodIndex } from './pod-index.ts';

export interface MembershipOptions {
  /** A dedicated sandbox's own Pod may hold its supervisor, in another container. */
  readonly sidecars: boolean;
}

/** The pool that a Pod's supervisor belongs to: from its labels, never from its own word. The error says why it has none. */
export function poolOf(
  pod: Pod,
  index: Pick<PodIndex, 'role'>,
  claims: Pick<Claims, 'isPresent'>,
  { sidecars }: MembershipOptions,
): Result<PoolId, string> {
  const role = index.role(pod.uid);
  switch (role.kind) {
    case 'none':
      return err('the Pod names no pool');
    case 'unusable':
      return err(role.problem);
    case 'supervisor':
      return ok(role.poolId);
    case 'workload': {
      const { declared } = role;
      if (!sidecars || declared.mode !== 'dedicated') return err('the Pod is a workload, and no supervisor');
      // Two Pods of one name: the other one's clients must not end here.
      if (!claims.isPresent(declared, pod.uid))
        return err(`the Pod is not the one life of ${declared.workspace}/${declared.sandbox}`);
      return ok(dedicatedPool(declared));
    }
  }
}

/**
 * Whether every earlier supervisor of this Pod is certainly dead: its container runs again, and the kubelet starts an instance
 * only after the one before has ended. Which container that is must be beyond doubt.
 */
export function isExclusive(pod: Pod): boolean {
  const container = supervisorContainer(pod);
  return container?.running === true && container.restartCount > 0 && container.predecessorEnded;
}

function supervisorContainer({ annotations, containers }: Pod): Container | undefined {
  const name = annotations['supervisor-container'] ?? (containers.length === 1 ? containers[0]?.name : 'supervisor');
  return containers.find((container) => container.name === name);
}
