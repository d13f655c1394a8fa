import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '@sallyport/process';
import { livelyMs } from '@sallyport/process/lively';
import { testCertificates } from '../stage/certificate.ts';
import { type Message, statusOf } from '../stage/message.ts';
import { createMessageReader, type MessageReader } from '../stage/message-reader.ts';
import { hostNamed, type Supervisor, startSupervisor } from '../stage/supervisor.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export const HOST = hostNamed('case', 'web');

/** One listener with one application of its own: what comes there is of the one case that runs. */
export interface Lane {
  readonly recorder: Recorder;
  readonly supervisor: Supervisor;
  /** The kept TLS connection, or a new one. */
  connection(): Promise<LaneConnection>;
  close(): Promise<void>;
}

/** A raw TLS connection to the listener; whatever comes back is read strictly. */
export interface LaneConnection {
  readonly socket: TLSSocket;
  /** Begins a case: forgets what came, and says by which methods the next answers are asked for. */
  begin(isHead: (nth: number) => boolean): void;
  /** Final answers since `begin`. */
  answers(): readonly Message[];
  readonly over: 'no' | 'ended' | 'reset';
  fault(): string | undefined;
  /** Resolves when `holds`, which is looked at whenever something happened here or at the application; false if it took too long. */
  until(holds: () => boolean): Promise<boolean>;
  /** Takes it out of the lane. */
  drop(): void;
}

/** A hang, and nothing else: everything here is on one machine and in one process. */
const PATIENCE_MS = 30_000;
/** Where the machine stood still meanwhile. */
const LOOK_LATE_EVERY_MS = 1_000;

export async function openLane(clock: Clock): Promise<Lane> {
  const { certificates, authority } = await testCertificates();
  const recorder = await startRecorder();
  const supervisor = await startSupervisor({ certificates, clock });
  supervisor.sandbox('case', { web: recorder.port });
  let kept: LaneConnection | undefined;
  // One for all connections: most cases end theirs, and the handshake is most of what a case costs.
  const secureContext = createSecureContext({ ca: authority.certPem });

  async function open(): Promise<LaneConnection> {
    const raw = connectTcp({ host: '127.0.0.1', port: supervisor.listener.port, noDelay: true, allowHalfOpen: true });
    raw.on('error', () => {});
    const half: object = { allowHalfOpen: true };
    const socket = connect({ socket: raw, servername: HOST, secureContext, ...half });
    await once(socket, 'secureConnect');
    return createConnection(socket, raw, recorder, () => {
      if (kept?.socket === socket) kept = undefined;
    });
  }

  return {
    recorder,
    supervisor,
    async connection() {
      kept ??= await open();
      return kept;
    },
    async close() {
      kept?.drop();
      await supervisor.stop();
      await recorder.close();
    },
  };
}

function createConnection(socket: TLSSocket, raw: Socket, recorder: Recorder, dropped: () => void): LaneConnection {
  let over: LaneConnection['over'] = 'no';
  let answers: Message[] = [];
  let reader: MessageReader;
  let waiter: (() => void) | undefined;
  const changed = (): void => waiter?.();

  socket.on('data', (chunk: Buffer) => {
    reader.push(chunk);
    changed();
  });
  const ended = (how: 'ended' | 'reset'): void => {
    if (over === 'no') {
      over = how;
      reader?.end(how === 'ended');
    }
    changed();
  };
  socket.on('end', () => ended('ended'));
  socket.on('error', () => ended('reset'));
  socket.on('close', () => ended('reset'));

  return {
    socket,
    get over() {
      return over;
    },
    begin(isHead) {
      answers = [];
      let asked = 0;
      reader = createMessageReader({
        kind: 'response',
        nextMethod: () => (isHead(asked++) ? 'HEAD' : 'GET'),
        onHead(message) {
          if (statusOf(message) >= 200) answers.push(message);
        },
      });
    },
    answers: () => answers,
    fault: () => reader.fault,
    async until(holds) {
      if (holds()) return true;
      let timer: NodeJS.Timeout | undefined;
      const held = await new Promise<boolean>((resolve) => {
        const began = livelyMs();
        const lookLate = (): void => {
          if (livelyMs() - began >= PATIENCE_MS) resolve(false);
          else timer = setTimeout(lookLate, LOOK_LATE_EVERY_MS);
        };
        timer = setTimeout(lookLate, PATIENCE_MS);
        waiter = () => {
          if (holds()) resolve(true);
        };
        recorder.onChange = changed;
      });
      clearTimeout(timer);
      waiter = undefined;
      return held;
    },
    drop() {
      dropped();
      socket.destroy();
      raw.destroy();
    },
  };
}
