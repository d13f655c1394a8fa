import type { Ownership } from '@sallyport/authority';
import type { OwnerEpoch, SandboxId, SandboxName } from '@sallyport/model';

/** Short names for people: `s0`, and `s0'2` for the second sandbox of that name; `e3` for a sandbox's third epoch. */
export interface Names {
  sandbox(sandboxId: SandboxId): string;
  learn(sandboxId: SandboxId, name: SandboxName): void;
  epoch(sandboxId: SandboxId, epoch: OwnerEpoch): string;
  ownership(sandboxId: SandboxId, ownership: Ownership | undefined): string;
}

export function createNames(): Names {
  const sandboxes = new Map<SandboxId, string>();
  const lives = new Map<SandboxName, number>();
  const epochs = new Map<SandboxId, OwnerEpoch[]>();

  const epoch: Names['epoch'] = (sandboxId, value) => {
    const known = epochs.get(sandboxId) ?? [];
    if (!known.includes(value)) known.push(value);
    epochs.set(sandboxId, known);
    return `e${known.indexOf(value) + 1}`;
  };

  return {
    sandbox: (sandboxId) => sandboxes.get(sandboxId) ?? sandboxId,
    learn(sandboxId, name) {
      if (sandboxes.has(sandboxId)) return;
      const life = (lives.get(name) ?? 0) + 1;
      lives.set(name, life);
      sandboxes.set(sandboxId, life === 1 ? name : `${name}'${life}`);
    },
    epoch,
    ownership(sandboxId, ownership) {
      if (ownership === undefined) return 'none';
      const at = epoch(sandboxId, ownership.epoch);
      switch (ownership.kind) {
        case 'released':
          return `released ${at}`;
        case 'offered':
          return `offered ${at} to ${ownership.to}`;
        case 'owned':
          return `owned ${at} by ${ownership.by}`;
        case 'fencing':
          return `fencing ${at} from ${ownership.from} (${epoch(sandboxId, ownership.ownedEpoch)})`;
      }
    },
  };
}
