import { ok } from '@sallyport/model';
import { bind, listen, openTlsFiles, type Stream, supervisorV1 as sv } from '@sallyport/wire';
import { DOMAIN, type Pki, TRUST_DOMAIN } from '../rig/pki.ts';
import { withUnknownField } from './unknown-field.ts';

/** A gateway of another release, played by hand: it knows one sandbox, and grants everything. */
export interface HandGateway {
  readonly target: string;
  reports(): number;
  close(): Promise<void>;
}

const REVISION = 7n;
const HASH = 'b'.repeat(64);
const EPOCH = 5n;
const { OwnershipState, Mode } = sv;

const service = { service: 'web', host: `team--box--web.${DOMAIN}`, port: 8_080, policy: undefined };
const configuration = { sandboxId: 's1', workspace: 'team', sandbox: 'box', revision: REVISION, hash: HASH, services: [service] };

export async function startHandGateway(pki: Pki): Promise<HandGateway> {
  const tls = await openTlsFiles(await pki.internal('gateway'));
  if (!tls.ok) throw new Error(tls.error);
  let reports = 0;
  type Session = Stream<sv.SessionResponse, sv.SessionRequest>;

  async function converse(stream: Session): Promise<void> {
    const say = (response: sv.SessionResponse['response']): void => void stream.send({ response });
    for await (const { request } of stream.received) {
      switch (request?.$case) {
        case 'hello':
          say({ $case: 'accepted', value: { sessionId: 'session-1', gatewayId: 'hand' } });
          // A kind of message that this supervisor cannot know.
          say(undefined);
          say({ $case: 'ownership', value: { ownerEpoch: EPOCH, state: OwnershipState.OWNERSHIP_STATE_OFFERED } });
          say({ $case: 'configuration', value: configuration });
          break;
        case 'applied':
          say({ $case: 'ownership', value: { ownerEpoch: EPOCH, state: OwnershipState.OWNERSHIP_STATE_OWNED } });
          say({ $case: 'challenge', value: { nonce: 'AAAAAAAAAAAAAAAAAAAAAA', sequence: 1n } });
          break;
        case 'report':
          reports += 1;
          say({
            $case: 'servingLease',
            value: { ackOfReport: request.value.sequence, ownerEpoch: EPOCH, ttlMs: 15_000, boundaryToken: '' },
          });
          break;
        case 'heartbeat':
          say({ $case: 'heartbeatAck', value: { sequence: request.value.sequence, ageMs: 0 } });
          break;
        case 'rejected':
        case 'released':
        case 'fenceAnswer':
        case undefined:
          break;
      }
    }
  }

  const { join, session, pollConfiguration } = sv.SupervisorServiceService;
  const definitions = { join: withUnknownField(join), session: withUnknownField(session), pollConfiguration };
  const server = await listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: tls.value,
    trustDomain: TRUST_DOMAIN,
    clients: { kind: 'certificate', apps: ['supervisor'] },
    services: [
      bind(definitions, {
        async join(stream) {
          for await (const { request } of stream.received) {
            if (request?.$case !== 'hello') continue;
            stream.send({ response: { $case: 'accepted', value: { joinId: 'join-1', gatewayId: 'hand' } } });
            stream.send({ response: undefined });
            const assignment = { sandboxId: 's1', runtimeId: 'r1', mode: Mode.MODE_SHARED, workspace: 'team', sandbox: 'box' };
            const assignments = [{ ...assignment, boundaryAddress: '' }];
            stream.send({ response: { $case: 'assignments', value: { assignments } } });
          }
          return ok(undefined);
        },
        async session(stream) {
          await converse(stream);
          return ok(undefined);
        },
        pollConfiguration: async () => ok({ configuration: undefined, ageMs: 0 }),
      }),
    ],
    onFault: () => undefined,
  });
  return {
    target: `127.0.0.1:${server.address.port}`,
    reports: () => reports,
    async close() {
      await server.close(0);
      tls.value.close();
    },
  };
}
