import { LEASE_MS, READER_MARGIN_MS, type World } from '@sallyport/authority';
import { currentUntil, judgeFence, snapshotOf } from '@sallyport/catalog';
import type { SandboxId } from '@sallyport/model';
import type { Coverage } from '../coverage.ts';
import type { ConsumerLife } from '../nodes/consumer-node.ts';
import type { ReaderLife } from '../nodes/reader-node.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Stood } from './stood.ts';
import type { Court } from './violations.ts';
import type { WireTruth } from './wire-truth.ts';

/** What discovery shows, and what is held of it by those who follow, against what is true. */
export interface Publications {
  /** `all`: also of those of whom nothing was heard since they were last looked at, since time alone makes things wrong. */
  look(readers: readonly ReaderLife[], consumers: readonly ConsumerLife[], all: boolean): void;
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
  readonly stood: Stood;
  readonly transcript: Transcript;
}

/** From what a record rests on to its last moment, by the slowest clocks. */
const SHOWN_MS_MAX = ((LEASE_MS - READER_MARGIN_MS) * 1.01) / 0.99 + 150;

export function createPublications(options: PublicationsOptions): Publications {
  const { world, now, court, coverage, names, wire, stood, transcript } = options;
  const lookedAt = new WeakMap<ReaderLife, string>();
  let told = new Map<string, string>();

  const mayJudge = ({ process }: { readonly process: ReaderLife['process'] }): boolean =>
    process.alive() && !process.suspended() && !process.isFooled();

  function judge({ process, view }: ReaderLife): void {
    const at = process.clock.peek();
    const shown = snapshotOf(view.world, view.evidence, at, () => true);
    let keptUp = 0;
    for (const listing of view.catalog.listingsOf('all')) if (currentUntil(listing, view.evidence) > at) keptUp += 1;
    court.looked('what is kept up is what is judged');
    if (keptUp !== shown.length)
      court.broken('what is kept up is what is judged', `${process.name} keeps ${keptUp} records, judged are ${shown.length}`);
    for (const record of shown) {
      const sandboxId = record.recordId.slice(0, record.recordId.indexOf('/')) as SandboxId;
      const held = view.world.installations.get(sandboxId);
      if (held === undefined) continue;
      const listing = view.catalog.listing(record.recordId);
      if (listing?.held !== held || currentUntil(listing, view.evidence) !== record.until)
        court.broken('what is kept up is what is judged', `${process.name} keeps another ${record.host} than is judged`);
      court.looked('nothing published past its authority');
      coverage['records shown'] += 1;
      const about = `${process.name} shows ${names.sandbox(sandboxId)} at ${held.value.memberId}`;
      const endedAt = stood.endedAt(sandboxId, held.modRevision);
      if (endedAt !== undefined && now() - endedAt > SHOWN_MS_MAX)
        court.broken('nothing published past its authority', `${about}, which ended ${(now() - endedAt).toFixed(0)} ms ago`);
      const { lastReportAt } = wire.allowed(held.value.memberId, sandboxId);
      if (now() - lastReportAt > SHOWN_MS_MAX)
        court.broken(
          'nothing published past its authority',
          `${about}, which last reported ${(now() - lastReportAt).toFixed(0)} ms ago`,
        );
    }
  }

  function judgeHeld({ process, follower }: ConsumerLife): void {
    for (const record of follower.records(process.clock.peek())) {
      court.looked('nothing followed past its authority');
      court.looked('nothing held without the grant');
      const standing = stood.record(record);
      const about = `${process.name} holds ${record.host} at ${record.endpoint.podUid}`;
      if (standing === undefined) {
        court.broken('nothing followed past its authority', `${about}, which never stood on record`);
        continue;
      }
      const { by, endedAt } = standing;
      if (endedAt !== undefined && now() - endedAt > SHOWN_MS_MAX)
        court.broken('nothing followed past its authority', `${about}, which ended ${(now() - endedAt).toFixed(0)} ms ago`);
      const sandboxId = record.recordId.slice(0, record.recordId.indexOf('/')) as SandboxId;
      const { lastReportAt } = wire.allowed(by, sandboxId);
      if (now() - lastReportAt > SHOWN_MS_MAX)
        court.broken(
          'nothing followed past its authority',
          `${about}, last reported ${(now() - lastReportAt).toFixed(0)} ms ago`,
        );
      const since = stood.ungrantedSince(record.workspace);
      if (since !== undefined && now() - since > SHOWN_MS_MAX)
        court.broken('nothing held without the grant', `${about}, not granted since ${(now() - since).toFixed(0)} ms`);
    }
  }

  function tell(readers: readonly ReaderLife[]): void {
    const showing = new Map<string, string>();
    for (const { process, view } of readers) {
      if (!process.alive() || process.suspended() || view.notReady() !== undefined) continue;
      for (const { recordId, host, ownerEpoch } of snapshotOf(view.world, view.evidence, process.clock.peek(), () => true)) {
        const sandboxId = recordId.slice(0, recordId.indexOf('/')) as SandboxId;
        const by = view.world.installations.get(sandboxId)?.value.memberId;
        showing.set(`${process.name} ${host}`, `${by} (${names.epoch(sandboxId, ownerEpoch)})`);
      }
    }
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
    look(readers, consumers, all) {
      for (const life of readers) {
        const { view } = life;
        if (!mayJudge(life) || view.notReady() !== undefined) continue;
        const moved = `${view.world.revision}/${view.evidence.version}`;
        if (!all && lookedAt.get(life) === moved) continue;
        lookedAt.set(life, moved);
        judge(life);
      }
      if (all) for (const life of consumers) if (mayJudge(life)) judgeHeld(life);
      if (transcript.wants('story')) tell(readers);
    },
    shows({ process, view }, sandboxId) {
      if (view.notReady() !== undefined) return false;
      const shown = snapshotOf(view.world, view.evidence, process.clock.peek(), () => true);
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
