import type { RecordChange, World } from '@sallyport/authority';
import type { ConfigRevision, SandboxId, SessionId } from '@sallyport/model';

/** When a fact that a report names was overtaken by another one on record. */
export interface Overtaken {
  changed(changes: readonly RecordChange[]): void;
  /** The first fact of these that was overtaken, and when; undefined while all stand. */
  first(about: {
    readonly sandboxId: SandboxId;
    readonly sessionId: SessionId;
    readonly configRevision: ConfigRevision;
  }): { readonly what: string; readonly at: number } | undefined;
}

export function watchOvertaken(world: World, now: () => number): Overtaken {
  const present = new Map<string, string>();
  const ended = new Map<string, number>();

  /** `slot` holds one fact at a time. */
  function hold(slot: string, fact: string | undefined): void {
    const before = present.get(slot);
    if (before === fact) return;
    if (before !== undefined) ended.set(before, now());
    if (fact === undefined) present.delete(slot);
    else present.set(slot, fact);
  }

  return {
    changed(changes) {
      for (const { key } of changes) {
        if (key.kind === 'config') {
          const revision = world.configs.get(key.sandboxId)?.value.revision;
          hold(`config ${key.sandboxId}`, revision === undefined ? undefined : configuration(key.sandboxId, revision));
        }
        if (key.kind === 'session') {
          const record = world.session(key.sandboxId, key.memberId)?.value;
          hold(`session ${key.sandboxId} ${key.memberId}`, record === undefined ? undefined : session(record.sessionId));
        }
      }
    },
    first({ sandboxId, sessionId, configRevision }) {
      for (const what of [session(sessionId), configuration(sandboxId, configRevision)]) {
        const at = ended.get(what);
        if (at !== undefined) return { what, at };
      }
      return undefined;
    },
  };
}

const session = (sessionId: SessionId): string => `session ${sessionId}`;
const configuration = (sandboxId: SandboxId, revision: ConfigRevision): string => `configuration ${sandboxId} r${revision}`;
