import type { MemberId, PoolId } from '@sallyport/model';
import { type Connector, createInstances, DEFAULT_LIMITS } from '@sallyport/proxy';
import { createHosted, type Following, followGateway, type GatewayPort, type Hosted, letGo } from '@sallyport/supervisor/member';
import type { HowKilled, SimProcess } from '../time/sim-process.ts';
import { createSimBoundaryLink, type SimBoundaryLink } from './boundary-link.ts';
import type { GatewayNode } from './gateway-node.ts';
import { gatewayPort } from './gateway-port.ts';
import { simLog } from './sim-log.ts';
import { DOMAIN, type Surroundings } from './surroundings.ts';

/** One life of a supervisor: production's member over simulated links. */
export interface SupervisorLife {
  readonly process: SimProcess;
  readonly memberId: MemberId;
  readonly podUid: string;
  readonly staysInPod: boolean;
  readonly poolId: PoolId;
  readonly following: Following;
  /** Every instance that it has and that is not stopped, also those that only linger. */
  readonly instances: readonly SimInstance[];
  draining(): boolean;
  beginDraining(): void;
}

/** One instance; its application is behind a boundary, or is not asked for at all. */
export interface SimInstance {
  readonly hosted: Hosted;
  readonly link: SimBoundaryLink | undefined;
}

/** A place where a supervisor runs, dies and is started again. */
export interface SupervisorNode {
  readonly place: string;
  life(): SupervisorLife | undefined;
  start(identity: SupervisorIdentity): void;
  crash(): void;
  /** In good order: it asks to be released, waits a little, then ends. */
  drain(ended: () => void): void;
}

export interface SupervisorIdentity {
  readonly poolId: PoolId;
  /** By member id: each life of a shared member has its own, as Kubernetes' projected tokens do. */
  readonly credential: (memberId: MemberId) => string;
  readonly delivery: 'push' | 'poll';
  readonly advertises: boolean;
  /** Its container is started again in the Pod that it had; otherwise each life is a Pod of its own. */
  readonly staysInPod: boolean;
}

/** As wire.ts of the supervisor: how long a draining member waits to be released. */
const RELEASE_WAIT_MS = 3_000;
const NEVER_ABORTED = new AbortController().signal;
const CAPACITY = 10;
const APP_PORT = 8443;

export function createSupervisorNode(
  place: string,
  gateways: readonly GatewayNode[],
  surroundings: Surroundings,
): SupervisorNode {
  const { pods, transcript } = surroundings;
  let life: SupervisorLife | undefined;
  /** Of the Pod that a dead supervisor has left behind. */
  let emptyPod: string | undefined;

  function end(mine: SupervisorLife, how: HowKilled): void {
    mine.process.kill(how);
    if (mine.staysInPod && how === 'suddenly') emptyPod = mine.podUid;
    else pods.ended(mine.podUid);
    if (life === mine) life = undefined;
  }

  return {
    place,
    life: () => life,
    start({ poolId, credential, delivery, advertises, staysInPod }) {
      if (life !== undefined) return;
      const process = surroundings.spawn(place);
      const { clock, random } = process;
      const log = simLog(process, transcript);
      let draining = false;
      const memberId = process.name as MemberId;
      transcript.say('story', process.name, `starts as a member of ${poolId}`);
      const podUid = emptyPod ?? memberId;
      const again = emptyPod !== undefined;
      emptyPod = undefined;
      pods.began({ supervisorUid: podUid, poolId, credential: credential(memberId), address: addressOf(place), again });
      const instances = createInstances({ clock });
      const running: SimInstance[] = [];
      const ports: GatewayPort[] = gateways.map((node) => gatewayPort(process, place, node, surroundings));
      const following = followGateway({
        gateways: ports,
        memberId,
        poolId,
        credential: () => credential(memberId),
        delivery,
        advertises,
        memberState: () => ({ ready: true, draining, appPort: advertises ? APP_PORT : 0, capacity: CAPACITY }),
        host: (assignment) => {
          const link =
            assignment.boundaryAddress === undefined
              ? undefined
              : createSimBoundaryLink(process, place, assignment, log, surroundings);
          const hosted = createHosted({
            assignment,
            memberId,
            instance: instances.start({
              sandboxId: assignment.sandboxId,
              mode: assignment.mode,
              limits: DEFAULT_LIMITS,
              connector: link ?? noApplication,
            }),
            boundary: link,
            rules: { domain: DOMAIN, ownPorts: new Set([APP_PORT]), claims: (host) => instances.claims(host) },
            ready: () => true,
            clock,
            log,
          });
          running.splice(0, running.length, ...running.filter(isRunning), { hosted, link });
          return hosted;
        },
        random: () => random.float(),
        clock,
        log,
      });
      life = {
        process,
        memberId,
        podUid,
        staysInPod,
        poolId,
        following,
        instances: running,
        draining: () => draining,
        beginDraining: () => {
          draining = true;
        },
      };
    },
    crash() {
      if (life !== undefined) end(life, 'suddenly');
    },
    drain(ended) {
      const mine = life;
      if (mine === undefined || mine.draining()) return;
      mine.beginDraining();
      const { following, process } = mine;
      following.announce();
      void letGo({ following, clock: process.clock, waitMs: RELEASE_WAIT_MS, deadline: NEVER_ABORTED })
        .then(() => following.stop())
        .then(() => {
          end(mine, 'in order');
          ended();
        });
    },
  };
}

/** `m1` is 10.0.1.1, `d0` is 10.0.2.0: told by the driver, compared by nobody. */
const addressOf = (place: string): string => `10.0.${place.charCodeAt(0) % 100}.${place.slice(1)}`;

const isRunning = ({ hosted }: SimInstance): boolean => hosted.state().standing.running;

const noApplication: Connector = {
  dial: () => Promise.resolve({ ok: false, error: { kind: 'refused' } }),
};
