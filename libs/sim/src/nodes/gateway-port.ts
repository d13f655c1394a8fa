import { err, type Failure, failure, later, type Result } from '@sallyport/model';
import type { GatewayPort } from '@sallyport/supervisor/member';
import type { Stream, supervisorV1 } from '@sallyport/wire';
import { twice } from '../net/twice.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { GatewayLife, GatewayNode } from './gateway-node.ts';
import type { Surroundings } from './surroundings.ts';

const REFUSED = failure('not-ready', 'connection refused');

/** One gateway as a supervisor calls it: production's services behind a network that may do anything but lie. */
export function gatewayPort(process: SimProcess, place: string, node: GatewayNode, surroundings: Surroundings): GatewayPort {
  const { schedule, network, connections, wire } = surroundings;

  function open<Up, Down>(
    name: 'join' | 'session',
    signal: AbortSignal,
    serve: (life: GatewayLife, stream: Stream<Down, Up>) => Promise<Result<void, Failure>>,
  ): Stream<Up, Down> {
    const server = node.process();
    // Nobody listens: the refusal comes back at once, unless the network swallows it.
    const target = server ?? process;
    const stream = connections.open<Up, Down>({
      client: { place, process },
      server: { place: server === undefined ? place : node.place, process: target },
      name,
      accept(end) {
        const life = node.life();
        if (server === undefined || life === undefined || life.process !== server) return end.fail(REFUSED);
        void serve(life, end).then((result) => (result.ok ? end.end() : end.fail(result.error)));
      },
      observe: wire.opened(name, process, target),
    });
    const cancel = (): void => stream.fail(failure('not-ready', 'cancelled'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return stream;
  }

  return {
    join: (signal) => open('join', signal, (life, stream) => life.replica.joins.serve(stream as never)),
    session: (signal) => open('session', signal, (life, stream) => life.replica.serveSession(stream as never)),
    poll(request, { deadlineMs, signal }) {
      return new Promise((resolve) => {
        const settle = (answer: Result<supervisorV1.PollConfigurationResponse, Failure>): void => {
          cancelDeadline();
          signal.removeEventListener('abort', aborted);
          resolve(answer);
        };
        const aborted = (): void => settle(err(failure('not-ready', 'cancelled')));
        signal.addEventListener('abort', aborted, { once: true });
        const cancelDeadline = process.clock.at(later(process.clock.now(), deadlineMs), () =>
          settle(err(failure('not-ready', `no answer within ${deadlineMs} ms`))),
        );
        const asked = wire.polled(process, request);
        twice(surroundings, place, node.place, 'poll', () => {
          const life = node.life();
          life?.process.deliver('poll', () => {
            void life.replica.servePoll(request, caller).then((answer) => {
              schedule.after(network.latencyMs(node.place, place), { who: process.name, does: 'poll answered' }, () => {
                if (network.isBlocked(node.place, place)) return;
                process.deliver('poll answered', () => {
                  if (answer.ok) asked(answer.value);
                  settle(answer);
                });
              });
            });
          });
        });
      });
    },
  };
}

const caller = { peer: undefined, bearer: undefined, address: 'sim', signal: new AbortController().signal };
