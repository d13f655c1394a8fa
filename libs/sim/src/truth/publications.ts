import { LEASE_MS, READER_MARGIN_MS, type RecordChange, type World } from '@sallyport/authority';
import { judgeFence, snapshotOf } from '@sallyport/catalog';
import type { SandboxId, StoreRevision } from '@sallyport/model';
import type { Coverage } from '../coverage.ts';
import type { ReaderLife } from '../nodes/reader-node.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Court } from './violations.ts';
import type { WireTruth } from './wire-truth.ts';

/** What discovery shows, against what is true. */
export interface Publications {
  changed(changes: readonly RecordChange[]): void;
  look(lives: readonly ReaderLife[]): void;
  /** Whether this replica shows the sandbox's record as it truly is. */
  shows(life: ReaderLife, sandboxId: SandboxId): boolean;
}

export interface PublicationsOptions {
  readonly world: World;
  readonly now: () => number;
  readonly court: Court;
  readonly coverage: Coverage;
  readonly names: Names;
  readonly wire: WireTruth;
  readonly transcript: Transcript;
}

/** From what a record rests on to its last moment, by the slowest clocks. */
const SHOWN_MS_MAX = ((LEASE_MS - READER_MARGIN_MS) * 1.01) / 0.99 + 150;

export function createPublications({ world, now, court, coverage, names, wire, transcript }: PublicationsOptions): Publications {
  /** By the revision of the installation: since when it is not the truth any more. */
  const ended = new Map<string, number>();
  const current = new Map<SandboxId, StoreRevision>();
  let told = new Map<string, string>();

  /** After each change of the store: whether what is on record still stands. */
  function judge(): void {
    for (const sandboxId of new Set([...current.keys(), ...world.installations.keys()])) {
      const revision = world.installations.get(sandboxId)?.modRevision;
      const before = current.get(sandboxId);
      if (before !== undefined && before !== revision) end(sandboxId, before);
      if (revision === undefined) {
        current.delete(sandboxId);
        continue;
      }
      current.set(sandboxId, revision);
      if (!judgeFence(world, sandboxId).ok) end(sandboxId, revision);
    }
  }

  function end(sandboxId: SandboxId, revision: StoreRevision): void {
    const key = `${sandboxId}@${revision}`;
    if (!ended.has(key)) ended.set(key, now());
  }

  function look(lives: readonly ReaderLife[]): void {
    const showing = new Map<string, string>();
    for (const { process, view } of lives) {
      if (!process.alive() || process.suspended() || view.notReady() !== undefined) continue;
      for (const record of snapshotOf(view.world, view.evidence, process.clock.now(), () => true)) {
        const sandboxId = record.recordId.slice(0, record.recordId.indexOf('/')) as SandboxId;
        const shown = view.world.installations.get(sandboxId);
        if (shown === undefined) continue;
        court.looked('nothing published past its authority');
        coverage['records shown'] += 1;
        const about = `${process.name} shows ${names.sandbox(sandboxId)} at ${shown.value.memberId}`;
        const endedAt = ended.get(`${sandboxId}@${shown.modRevision}`);
        if (endedAt !== undefined && now() - endedAt > SHOWN_MS_MAX)
          court.broken('nothing published past its authority', `${about}, which ended ${(now() - endedAt).toFixed(0)} ms ago`);
        const { lastReportAt } = wire.allowed(shown.value.memberId, sandboxId);
        if (now() - lastReportAt > SHOWN_MS_MAX)
          court.broken(
            'nothing published past its authority',
            `${about}, which last reported ${(now() - lastReportAt).toFixed(0)} ms ago`,
          );
        if (transcript.wants('story'))
          showing.set(`${process.name} ${record.host}`, `${shown.value.memberId} (${names.epoch(sandboxId, record.ownerEpoch)})`);
      }
    }
    if (transcript.wants('story')) tell(showing);
  }

  function tell(showing: Map<string, string>): void {
    for (const [key, where] of showing) {
      const [reader = '', host] = key.split(' ');
      if (told.get(key) !== where) transcript.say('story', reader, `shows ${host} at ${where}`);
    }
    for (const key of told.keys()) {
      const [reader = '', host] = key.split(' ');
      if (!showing.has(key)) transcript.say('story', reader, `shows ${host} no more`);
    }
    told = showing;
  }

  return {
    changed: judge,
    look,
    shows({ process, view }, sandboxId) {
      if (view.notReady() !== undefined) return false;
      const shown = snapshotOf(view.world, view.evidence, process.clock.now(), () => true);
      const records = shown.filter(({ recordId }) => recordId.startsWith(`${sandboxId}/`));
      const truth = world.installations.get(sandboxId);
      return (
        records.length === (world.configs.get(sandboxId)?.value.services.length ?? 0) &&
        truth !== undefined &&
        judgeFence(world, sandboxId).ok &&
        view.world.installations.get(sandboxId)?.modRevision === truth.modRevision
      );
    },
  };
}
