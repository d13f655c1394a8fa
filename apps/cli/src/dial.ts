import { readFileSync } from 'node:fs';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';

/** What was found when a service was dialled as an ingress dials it. `ok` says that it can be reached, not that it is healthy. */
export interface Dialled {
  readonly ok: boolean;
  readonly detail: string;
  readonly nextStep: string;
}

const DIAL_MS = 3_000;

export interface DialOptions {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  /** Trusted beside the machine's own. */
  readonly caFile: string;
}

/** Connects to the endpoint with TLS and the host as server name, and looks at the certificate; sends no request. */
export function dial({ address, port, host, caFile }: DialOptions): Promise<Dialled> {
  return new Promise((resolve) => {
    // Whether it is trusted is part of the answer, so it must not end the connection.
    const socket = connect({
      host: address,
      port,
      servername: host,
      ca: readFileSync(caFile),
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    const end = (found: Dialled): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const at = `${address}:${port}`;
    const fails = (detail: string, nextStep: string): void => end({ ok: false, detail, nextStep });
    const timer = setTimeout(
      () =>
        fails(
          `${at} does not answer within ${DIAL_MS / 1_000} s`,
          'check the network policy and the route from here to the supervisor',
        ),
      DIAL_MS,
    );
    socket.once('secureConnect', () => end(judge(socket, host, at)));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED')
        fails(`nothing listens on ${at}`, 'check that the supervisor runs and has its listener on');
      else if (/ALERT|SSL/.test(error.code ?? ''))
        fails(
          `${at} refuses the server name ${host}`,
          'the supervisor there serves it no more, or not yet: explain it again in a few seconds',
        );
      else
        fails(
          `${at} cannot be reached (${error.code ?? error.message})`,
          'check the network policy and the route from here to the supervisor',
        );
    });
    socket.once('end', () => fails(`${at} closes the connection in the handshake`, 'look at the log of the supervisor'));
  });
}

function judge(socket: TLSSocket, host: string, at: string): Dialled {
  const certificate: PeerCertificate = socket.getPeerCertificate();
  if (checkServerIdentity(host, certificate) !== undefined) {
    return {
      ok: false,
      detail: `the certificate of ${at} is for ${certificate.subjectaltname ?? 'no name'}`,
      nextStep: `give the supervisor a certificate that covers ${host}`,
    };
  }
  if (!socket.authorized) {
    return {
      ok: false,
      detail: `the certificate of ${at} is not trusted here (${socket.authorizationError?.toString() ?? 'unknown'})`,
      nextStep: 'browsers trust public CAs alone: give them the CA, or the supervisor another certificate',
    };
  }
  return { ok: true, detail: `${at} shows a trusted certificate for ${host}, good until ${certificate.valid_to}`, nextStep: '' };
}
