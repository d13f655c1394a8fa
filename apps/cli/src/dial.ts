import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls';

/** What is found where one connects with TLS and a host as server name, as an ingress does. */
export type Seen =
  | { readonly kind: 'certificate'; readonly certificate: PeerCertificate; readonly untrusted: string | undefined }
  /** Ended by an alert: names that nobody serves are refused so. */
  | { readonly kind: 'name-refused' }
  | { readonly kind: 'no-listener' | 'silent' | 'closed' | 'not-tls' }
  | { readonly kind: 'unreachable'; readonly code: string };

const LOOK_MS = 3_000;

export interface LookOptions {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  /** Trusted beside the machine's own. */
  readonly caFile: string | undefined;
}

/** Connects, looks at the certificate, and goes: sends no request. */
export function look({ address, port, host, caFile }: LookOptions): Promise<Seen> {
  return new Promise((resolve) => {
    // Whether it is trusted is part of the answer, so it must not end the connection.
    const options = { host: address, port, servername: host, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    // A CA that is given takes the place of the machine's own, so these are named as well.
    const socket = connect(caFile === undefined ? options : { ...options, ca: [...ownCas(), readFileSync(caFile, 'utf8')] });
    const end = (seen: Seen): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(seen);
    };
    const timer = setTimeout(() => end({ kind: 'silent' }), LOOK_MS);
    socket.once('secureConnect', () => {
      const untrusted = socket.authorized ? undefined : (socket.authorizationError?.toString() ?? 'unknown');
      end({ kind: 'certificate', certificate: socket.getPeerCertificate(), untrusted });
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.message;
      if (code === 'ECONNREFUSED') end({ kind: 'no-listener' });
      else if (/WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST/.test(code)) end({ kind: 'not-tls' });
      else if (/UNRECOGNIZED_NAME|ALERT/.test(code)) end({ kind: 'name-refused' });
      else end({ kind: 'unreachable', code });
    });
    socket.once('end', () => end({ kind: 'closed' }));
  });
}

/** A Node of before 22.15 knows only those that it brings, and would not start for a name that it does not export. */
const ownCas = (): readonly string[] =>
  'getCACertificates' in tls
    ? tls.getCACertificates('default')
    : (tls as { rootCertificates: readonly string[] }).rootCertificates;

/** The same in words. `ok` says that the host can be reached there, not that it is healthy. */
export interface Dialled {
  readonly ok: boolean;
  readonly detail: string;
  readonly nextStep: string;
}

export async function dial(options: LookOptions): Promise<Dialled> {
  const { address, port, host } = options;
  return describe(await look(options), host, `${address}:${port}`);
}

const WAY = 'check the network policy and the route from here to the supervisor';

export function describe(seen: Seen, host: string, at: string): Dialled {
  const fails = (detail: string, nextStep: string): Dialled => ({ ok: false, detail, nextStep });
  switch (seen.kind) {
    case 'silent':
      return fails(`${at} does not answer within ${LOOK_MS / 1_000} s`, WAY);
    case 'no-listener':
      return fails(`nothing listens on ${at}`, 'check that the supervisor runs and has its listener on');
    case 'name-refused':
      return fails(
        `${at} refuses the server name ${host}`,
        'the supervisor there serves it no more, or not yet: explain it again in a few seconds',
      );
    case 'closed':
      return fails(`${at} closes the connection in the handshake`, 'look at the log of the supervisor');
    case 'not-tls':
      return fails(`${at} speaks no TLS`, 'check the address: it is not a port for applications');
    case 'unreachable':
      return fails(`${at} cannot be reached (${seen.code})`, WAY);
    case 'certificate':
      return judge(seen, host, at);
  }
}

function judge({ certificate, untrusted }: Extract<Seen, { kind: 'certificate' }>, host: string, at: string): Dialled {
  if (checkServerIdentity(host, certificate) !== undefined) {
    return {
      ok: false,
      detail: `the certificate of ${at} is for ${certificate.subjectaltname ?? 'no name'}`,
      nextStep: `give the supervisor a certificate that covers ${host}`,
    };
  }
  if (untrusted !== undefined) {
    return {
      ok: false,
      detail: `the certificate of ${at} is not trusted here (${untrusted})`,
      nextStep: 'browsers trust public CAs alone: give them the CA, or the supervisor another certificate',
    };
  }
  return { ok: true, detail: `${at} shows a trusted certificate for ${host}, good until ${certificate.valid_to}`, nextStep: '' };
}
