import { connect } from 'node:tls';
import { get } from '../http-cases/makers.ts';
import { handshake } from '../http-cases/tunnel-makers.ts';

/** A process of its own, so that what it measures is not measured by whoever causes it. */
export type LoadCommand =
  | {
      readonly kind: 'open';
      readonly port: number;
      readonly ca: string;
      readonly host: string;
      readonly tunnelCount: number;
      readonly streamCount: number;
    }
  | { readonly kind: 'report'; readonly host: string };

export interface LoadReport {
  readonly host: string;
  readonly kind: 'opened' | 'report';
  readonly openCount: number;
  /** When each connection was seen to end, on the monotonic clock of the machine, nanoseconds. */
  readonly tunnelsEndedAtNs: readonly string[];
  readonly streamsEndedAtNs: readonly string[];
  readonly failures: readonly string[];
}

/** Handshakes under way at once: more only make each other wait. */
const OPENING_MAX = 40;

type Kind = 'tunnels' | 'streams';

interface Ends {
  openCount: number;
  readonly tunnels: string[];
  readonly streams: string[];
  readonly failures: string[];
}
const byHost = new Map<string, Ends>();

function endsOf(host: string): Ends {
  let ends = byHost.get(host);
  if (ends === undefined) {
    ends = { openCount: 0, tunnels: [], streams: [], failures: [] };
    byHost.set(host, ends);
  }
  return ends;
}

/** Resolves when the answer has begun, or has failed. */
function openOne(port: number, ca: string, host: string, kind: Kind): Promise<void> {
  const ends = endsOf(host);
  return new Promise((resolve) => {
    let [opened, over] = [false, false];
    const socket = connect({ host: '127.0.0.1', port, servername: host, ca });
    const end = (): void => {
      if (over) return;
      over = true;
      if (opened) {
        ends[kind].push(process.hrtime.bigint().toString());
        ends.openCount -= 1;
      } else ends.failures.push('ended before it was open');
      resolve();
    };
    socket.once('secureConnect', () => socket.write(kind === 'tunnels' ? handshake('', '/ws', host) : get('/stream', '', host)));
    socket.on('data', (chunk) => {
      if (opened) return;
      opened = true;
      ends.openCount += 1;
      const status = chunk.toString('latin1', 9, 12);
      if (status !== (kind === 'tunnels' ? '101' : '200')) ends.failures.push(`status ${status}`);
      resolve();
    });
    socket.on('error', end);
    socket.on('end', end);
    socket.on('close', end);
  });
}

function report(host: string, kind: LoadReport['kind']): void {
  const { openCount, tunnels, streams, failures } = endsOf(host);
  const told: LoadReport = { host, kind, openCount, tunnelsEndedAtNs: tunnels, streamsEndedAtNs: streams, failures };
  process.send?.(told);
}

async function open({ port, ca, host, tunnelCount, streamCount }: Extract<LoadCommand, { kind: 'open' }>): Promise<void> {
  const kinds: Kind[] = [...Array<Kind>(tunnelCount).fill('tunnels'), ...Array<Kind>(streamCount).fill('streams')];
  const workers = Array.from({ length: OPENING_MAX }, async () => {
    for (let kind = kinds.pop(); kind !== undefined; kind = kinds.pop()) await openOne(port, ca, host, kind);
  });
  await Promise.all(workers);
  report(host, 'opened');
}

process.on('message', (command: LoadCommand) => {
  if (command.kind === 'report') report(command.host, 'report');
  else void open(command);
});
process.on('disconnect', () => process.exit(0));
