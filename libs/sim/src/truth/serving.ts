import { FRESHNESS_MS, LEASE_MS, type Mode, refusalAt, servesUntil, type World } from '@sallyport/authority';
import type { Host, SandboxId } from '@sallyport/model';
import type { SupervisorLife } from '../nodes/supervisor-node.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Tenures } from './tenures.ts';
import type { Court } from './violations.ts';
import type { WireTruth } from './wire-truth.ts';

/** What members would admit at this very instant, each by its own clock, against what is true. */
export interface ServingWatch {
  /** After every event: `who` made it. */
  look(): void;
  /** Members that admit requests for this sandbox now. */
  admitting(sandboxId: SandboxId): readonly string[];
}

export interface ServingWatchOptions {
  readonly lives: () => readonly SupervisorLife[];
  readonly world: World;
  readonly now: () => number;
  readonly court: Court;
  readonly names: Names;
  readonly tenures: Tenures;
  readonly wire: WireTruth;
  readonly transcript: Transcript;
}

/** After the record names another owner (or none), by the slowest clock; half a second for what was decided already. */
const AFTER_AUTHORITY_MS: Record<Mode, number> = { shared: LEASE_MS / 0.99, dedicated: FRESHNESS_MS / 0.99 };
/** A suspension of less is not seen as one (model, CLOCK_JUMP_MS), and is within every margin. */
const SLACK_MS = 150;

export function watchServing(options: ServingWatchOptions): ServingWatch {
  const { lives, world, now, court, names, tenures, wire, transcript } = options;
  let admittingNow = new Map<SandboxId, string[]>();
  let told = new Map<string, string>();
  const releasedUntil = new Map<string, number>();
  const removedAt = new Map<string, number>();

  function look(): void {
    const admitting = new Map<SandboxId, string[]>();
    const saying = new Map<string, string>();
    for (const life of lives()) {
      const { process, following } = life;
      // A machine that stands still serves nobody; what it would do is judged when it goes on.
      if (!process.alive() || process.suspended()) continue;
      const at = process.clock.now();
      for (const hosted of following.hosted()) {
        const { standing } = hosted.state();
        const { sandboxId } = hosted.assignment;
        renewedAfterRelease(`${process.name}/${sandboxId}`, standing.released, servesUntil(standing));
        if (refusalAt(standing, at) !== undefined) continue;
        const routes = hosted.routes();
        if (routes.length === 0) continue;
        const others = admitting.get(sandboxId);
        if (others === undefined) admitting.set(sandboxId, [process.name]);
        else others.push(process.name);
        judge(process.name, sandboxId, standing.mode);
        for (const { host } of routes) declared(process.name, sandboxId, host);
        if (transcript.wants('story')) saying.set(`${process.name} ${names.sandbox(sandboxId)}`, routes.map(({ host }) => host).sort().join(' '));
      }
    }
    court.looked();
    for (const [sandboxId, members] of admitting)
      if (members.length > 1) court.broken('one member admits', `${names.sandbox(sandboxId)} is served by ${members.join(' and ')}`);
    admittingNow = admitting;
    if (transcript.wants('story')) tell(saying);
  }

  function judge(member: string, sandboxId: SandboxId, mode: Mode): void {
    court.looked(2);
    const allowed = wire.allowed(member, sandboxId);
    const until = mode === 'shared' ? Math.min(allowed.leaseUntil, allowed.freshUntil) : allowed.freshUntil;
    if (now() > until + SLACK_MS)
      court.broken('nothing served past its deadline', `${member} serves ${names.sandbox(sandboxId)} ${(now() - until).toFixed(0)} ms after it`);
    const since = tenures.notOwnerSince(sandboxId, member as never);
    if (since !== undefined && now() > since + AFTER_AUTHORITY_MS[mode] + SLACK_MS)
      court.broken(
        'nothing served without authority',
        `${member} serves ${names.sandbox(sandboxId)}, owned by it until ${(now() - since).toFixed(0)} ms ago`,
      );
  }

  function declared(member: string, sandboxId: SandboxId, host: Host): void {
    const key = `${sandboxId} ${host}`;
    const services = world.configs.get(sandboxId)?.value.services ?? [];
    if (services.some((service) => service.host === host)) {
      removedAt.delete(key);
      return;
    }
    const at = removedAt.get(key) ?? now();
    removedAt.set(key, at);
    court.looked();
    if (now() > at + FRESHNESS_MS / 0.99 + SLACK_MS)
      court.broken('withdrawn routes end', `${member} serves ${host} ${(now() - at).toFixed(0)} ms after it was withdrawn`);
  }

  function renewedAfterRelease(key: string, released: boolean, until: number): void {
    if (!released) {
      releasedUntil.delete(key);
      return;
    }
    const before = releasedUntil.get(key) ?? until;
    releasedUntil.set(key, before);
    court.looked();
    if (until > before) court.broken('a released owner is not renewed', `${key} may go on for ${(until - before).toFixed(0)} ms more`);
  }

  function tell(saying: Map<string, string>): void {
    for (const [who, hosts] of saying) {
      if (told.get(who) === hosts) continue;
      const [member = '', sandbox] = who.split(' ');
      transcript.say('story', member, `serves ${sandbox}: ${hosts}`);
    }
    for (const who of told.keys()) {
      if (saying.has(who)) continue;
      const [member = '', sandbox] = who.split(' ');
      transcript.say('story', member, `serves ${sandbox} no more`);
    }
    told = saying;
  }

  return { look, admitting: (sandboxId) => admittingNow.get(sandboxId) ?? [] };
}
