import type { World } from '@sallyport/authority';
import {
  type ConfigRevision,
  type CredentialEpoch,
  err,
  type Failure,
  failure,
  type Generation,
  ok,
  type Result,
  type SandboxId,
  type StoreRevision,
} from '@sallyport/model';
import { configKey, credentialKey, type Guard, generationKey } from '@sallyport/store';
import { encodeConfiguration, encodeCredential, encodeGeneration } from '@sallyport/wire';
import { configurationOf } from './declarations.ts';
import type { Writer, Writing } from './writer.ts';

/** A life of the store. A restore from a backup goes back in time, and whatever was issued since must not count. */
export interface Generations {
  begin(): Promise<Result<Begun, Failure>>;
}

export interface Begun {
  readonly generation: Generation;
  readonly sandboxCount: number;
}

export interface GenerationsOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly randomId: () => string;
  /** Wall clock, milliseconds since 1970. */
  readonly unixMs: () => number;
}

/** Two records of each, and as many guards: well within what one transaction takes. */
const SANDBOXES_AT_ONCE = 20;
/** Sandboxes that are changed by others meanwhile are looked at again. */
const PASSES_MAX = 10;

export function createGenerations({ world, reached, writer, randomId, unixMs }: GenerationsOptions): Generations {
  /** Tokens and installations name the generation: from this write on none of the old ones counts. */
  async function rewrite(generation: Generation): Promise<Result<void, Failure>> {
    const present = world.generation;
    const guard: Guard =
      present === undefined
        ? { key: generationKey, is: 'absent' }
        : { key: generationKey, is: 'unmoved-since', revision: present.modRevision };
    const puts = [{ key: generationKey, value: (opId: string) => encodeGeneration(generation, opId) }];
    const written = await writer.write({ guards: [guard], puts });
    if (written.kind === 'no-authority' || written.kind === 'unknown')
      return err(failure('not-ready', 'the store does not answer; a generation may or may not have begun: begin one again'));
    await reached(written.revision);
    return written.kind === 'committed' ? ok(undefined) : err(failure('conflict', 'another generation has just begun'));
  }

  /**
   * Supervisors refuse a configuration with a lower number than they hold, and what they hold may be newer than the backup;
   * credentials that were revoked after it would count again. Both go past everything that was issued: like the epochs of
   * owners they follow the clock.
   */
  function raised(sandboxId: SandboxId, floor: bigint): Writing | undefined {
    const config = world.configs.get(sandboxId);
    const credential = world.credentials.get(sandboxId);
    if (config === undefined || credential === undefined || isRaised(sandboxId, floor)) return undefined;
    const { hash: _hash, ...content } = config.value;
    const configuration = configurationOf({ ...content, revision: max(content.revision + 1n, floor) as ConfigRevision });
    const epoch = max(credential.value + 1n, floor) as CredentialEpoch;
    const keys = { config: configKey(sandboxId), credential: credentialKey(sandboxId) };
    return {
      guards: [
        { key: keys.config, is: 'unmoved-since', revision: config.modRevision },
        { key: keys.credential, is: 'unmoved-since', revision: credential.modRevision },
      ],
      puts: [
        { key: keys.config, value: (opId) => encodeConfiguration(configuration, opId) },
        { key: keys.credential, value: (opId) => encodeCredential(epoch, opId) },
      ],
    };
  }

  const isRaised = (sandboxId: SandboxId, floor: bigint): boolean =>
    (world.configs.get(sandboxId)?.value.revision ?? floor) >= floor &&
    (world.credentials.get(sandboxId)?.value ?? floor) >= floor;

  return {
    async begin() {
      const floor = BigInt(unixMs());
      const generation = randomId() as Generation;
      const rewritten = await rewrite(generation);
      if (!rewritten.ok) return rewritten;
      const left = (): SandboxId[] => [...world.sandboxes.keys()].filter((sandboxId) => !isRaised(sandboxId, floor));
      const sandboxCount = left().length;
      for (let pass = 0, rest = left(); rest.length > 0; pass += 1, rest = left()) {
        if (pass === PASSES_MAX) {
          const message = `the generation has begun, but ${rest.length} sandboxes are still as the backup has them: begin another`;
          return err(failure('not-ready', message));
        }
        for (let from = 0; from < rest.length; from += SANDBOXES_AT_ONCE) {
          const some = rest.slice(from, from + SANDBOXES_AT_ONCE).flatMap((sandboxId) => raised(sandboxId, floor) ?? []);
          const written = await writer.write({
            guards: some.flatMap(({ guards }) => guards),
            puts: some.flatMap(({ puts }) => puts),
          });
          if (written.kind === 'committed' || written.kind === 'refused') await reached(written.revision);
        }
      }
      return ok({ generation, sandboxCount });
    },
  };
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
