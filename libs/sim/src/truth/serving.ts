import { FRESHNESS_MS, LEASE_MS, type Mode, refusalAt, type Standing, servesUntil, type World } from '@sallyport/authority';
import type { Host, Instant, MemberId, SandboxId } from '@sallyport/model';
import type { SupervisorEnd } from '@sallyport/session';
import type { Hosted } from '@sallyport/supervisor/member';
import type { SupervisorNode } from '../nodes/supervisor-node.ts';
import type { Transcript } from '../transcript.ts';
import type { ByteTruth } from './bytes.ts';
import type { Names } from './names.ts';
import type { Tenures } from './tenures.ts';
import type { Court } from './violations.ts';
import type { Allowed, WireTruth } from './wire-truth.ts';

/** What members would admit at this very instant, each by its own clock, against what is true. */
export interface ServingWatch {
  /** After every event. */
  look(): void;
}

export interface ServingWatchOptions {
  readonly nodes: readonly SupervisorNode[];
  readonly world: World;
  readonly now: () => number;
  readonly court: Court;
  readonly names: Names;
  readonly tenures: Tenures;
  readonly wire: WireTruth;
  readonly bytes: ByteTruth;
  readonly transcript: Transcript;
}

/** After the record names another owner (or none), by the slowest clock; half a second for what was decided already. */
const AFTER_AUTHORITY_MS: Record<Mode, number> = { shared: LEASE_MS / 0.99, dedicated: FRESHNESS_MS / 0.99 };
/** A suspension of less is not seen as one (model, CLOCK_JUMP_MS), and is within every margin. */
const SLACK_MS = 150;

/** What is known of one instance. A state is a value: while it is the same one, so is all that follows from it. */
interface Known {
  state: SupervisorEnd | undefined;
  hosts: readonly Host[];
  config: unknown;
  areDeclared: boolean;
  readonly allowed: Allowed;
  releasedUntil: number | undefined;
}

export function watchServing(options: ServingWatchOptions): ServingWatch {
  const { nodes, world, now, court, names, tenures, wire, bytes, transcript } = options;
  const known = new WeakMap<Hosted, Known>();
  const removedAt = new Map<string, number>();
  const declaredBy = new Map<SandboxId, unknown>();
  /** Who admits what at this event; kept, since there is one for each of millions. */
  const admitting: { sandboxId: SandboxId; member: string }[] = [];
  let admittingCount = 0;
  let told = new Map<string, string>();

  /** What is declared again is not withdrawn any more, whether or not anybody serves it meanwhile. */
  function noteDeclared(): void {
    for (const [sandboxId, config] of world.configs) {
      if (declaredBy.get(sandboxId) === config) continue;
      declaredBy.set(sandboxId, config);
      for (const { host } of config.value.services) removedAt.delete(`${sandboxId} ${host}`);
    }
  }

  function look(): void {
    noteDeclared();
    admittingCount = 0;
    const saying = transcript.wants('story') ? new Map<string, string>() : undefined;
    for (const node of nodes) {
      const life = node.life();
      // A machine that stands still serves nobody; what it would do is judged when it goes on.
      if (life === undefined || !life.process.alive() || life.process.suspended()) continue;
      const { process, instances } = life;
      let at: Instant | undefined;
      for (const { hosted, link } of instances) {
        const { standing, ownership } = hosted.state();
        if (!standing.running || !standing.acknowledged) continue;
        const about = know(process.name, hosted);
        if (standing.released || about.releasedUntil !== undefined) renewedAfterRelease(process.name, standing, about);
        at ??= process.clock.peek();
        if (refusalAt(standing, at) !== undefined || about.hosts.length === 0) continue;
        const { sandboxId } = hosted.assignment;
        const fooled = process.isFooled();
        // One that a boundary lets nothing through from answers, and reaches no application.
        if (link === undefined ? !fooled : bytes.mayReach(link.reaches(), process.name as MemberId, ownership.epoch)) {
          admits(sandboxId, process.name);
        }
        if (!fooled) judge(process.name, sandboxId, standing.mode, about.allowed);
        if (!areDeclared(sandboxId, about)) for (const host of about.hosts) declared(process.name, sandboxId, host);
        saying?.set(`${process.name} ${names.sandbox(sandboxId)}`, about.hosts.toSorted().join(' '));
      }
    }
    court.looked('one member admits');
    if (saying !== undefined) tell(saying);
  }

  function admits(sandboxId: SandboxId, member: string): void {
    for (let index = 0; index < admittingCount; index += 1) {
      const other = admitting[index];
      if (other?.sandboxId === sandboxId)
        court.broken('one member admits', `${names.sandbox(sandboxId)} is served by ${other.member} and ${member}`);
    }
    const entry = admitting[admittingCount];
    if (entry === undefined) admitting.push({ sandboxId, member });
    else {
      entry.sandboxId = sandboxId;
      entry.member = member;
    }
    admittingCount += 1;
  }

  function know(member: string, hosted: Hosted): Known {
    const state = hosted.state();
    let about = known.get(hosted);
    if (about === undefined) {
      const allowed = wire.allowed(member, hosted.assignment.sandboxId);
      about = { state: undefined, hosts: [], config: undefined, areDeclared: false, allowed, releasedUntil: undefined };
      known.set(hosted, about);
    }
    if (about.state !== state) {
      about.state = state;
      about.hosts = hosted.routes().map(({ host }) => host);
      about.areDeclared = false;
    }
    return about;
  }

  function areDeclared(sandboxId: SandboxId, about: Known): boolean {
    const config = world.configs.get(sandboxId);
    if (about.areDeclared && about.config === config) return true;
    const services = config?.value.services ?? [];
    about.config = config;
    about.areDeclared = about.hosts.every((host) => services.some((service) => service.host === host));
    if (about.areDeclared) for (const host of about.hosts) removedAt.delete(`${sandboxId} ${host}`);
    return about.areDeclared;
  }

  function judge(member: string, sandboxId: SandboxId, mode: Mode, { leaseUntil, freshUntil }: Allowed): void {
    court.looked('nothing served past its deadline');
    court.looked('nothing served without authority');
    const until = mode === 'shared' ? Math.min(leaseUntil, freshUntil) : freshUntil;
    if (now() > until + SLACK_MS)
      court.broken(
        'nothing served past its deadline',
        `${member} serves ${names.sandbox(sandboxId)} ${(now() - until).toFixed(0)} ms after it`,
      );
    const since = tenures.notOwnerSince(sandboxId, member as MemberId);
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
    court.looked('withdrawn routes end');
    if (now() > at + FRESHNESS_MS / 0.99 + SLACK_MS)
      court.broken('withdrawn routes end', `${member} serves ${host} ${(now() - at).toFixed(0)} ms after it was withdrawn`);
  }

  function renewedAfterRelease(member: string, standing: Standing, about: Known): void {
    if (!standing.released) {
      about.releasedUntil = undefined;
      return;
    }
    const until = servesUntil(standing);
    about.releasedUntil ??= until;
    court.looked('a released owner is not renewed');
    if (until > about.releasedUntil)
      court.broken(
        'a released owner is not renewed',
        `${member} may go on for ${(until - about.releasedUntil).toFixed(0)} ms more`,
      );
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

  return { look };
}
