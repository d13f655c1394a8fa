import type { ReportingSession, World } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { err, type Failure, failure, fenced, ok, type Result, type SandboxId, type SessionId } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import type { Hello } from '@sallyport/session';
import { credentialKey, sandboxKey, sessionKey } from '@sallyport/store';
import { encodeSession, parseSessionRequest, type Stream, sessionResponseMessage, type supervisorV1 } from '@sallyport/wire';
import { fingerprint, type ProveSupervisor } from './credentials.ts';
import type { Joins } from './joins.ts';
import type { Membership } from './membership.ts';
import type { Sessions } from './sessions.ts';
import type { Writer } from './writer.ts';

export interface SessionServiceOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly membership: Membership;
  readonly joins: Joins;
  readonly sessions: Sessions;
  readonly prove: ProveSupervisor;
  readonly log: Log;
  readonly randomId: () => string;
}

type SessionStream = Stream<supervisorV1.SessionResponse, supervisorV1.SessionRequest>;

/** Opening a session may meet a record on the move: look again this often before the supervisor is sent away. */
const OPEN_TRIES_MAX = 3;

/** The `Session` call, from Hello to the end of its stream. */
export function createSessionService(options: SessionServiceOptions): (stream: SessionStream) => Promise<Result<void, Failure>> {
  const { sessions, log } = options;
  return async (stream) => {
    const requests = stream.received[Symbol.asyncIterator]();
    const first = await requests.next();
    if (first.done) return ok(undefined);
    const hello = parseSessionRequest(first.value);
    if (!hello.ok) return hello;
    if (hello.value.kind !== 'hello') return err(failure('malformed', 'the first message must be hello'));
    const opened = await openSession(options, hello.value.hello);
    if (!opened.ok) return opened;

    let over: Failure | undefined;
    const session = sessions.open(opened.value, hello.value.hello.capabilities, {
      send: (message) => void stream.send(sessionResponseMessage(message)),
      end: (clause, reason) => {
        // That this gateway goes is nothing that the supervisor could mend: it asks another.
        over = clause === 'gateway' ? failure('not-ready', reason) : fenced(clause, reason);
        stream.fail(over);
      },
    });
    log.info({ sandboxId: session.sandboxId, sessionId: session.sessionId, memberId: opened.value.memberId }, 'session opened');
    try {
      for (let next = await requests.next(); !next.done; next = await requests.next()) {
        // A kind of message of a later release: whoever sends it does not count on it.
        if (next.value.request === undefined) continue;
        const request = parseSessionRequest(next.value);
        if (!request.ok) return request;
        if (request.value.kind === 'hello') return err(failure('malformed', 'hello comes once'));
        session.step({ kind: 'message', message: request.value });
      }
    } finally {
      session.close();
      log.info({ sandboxId: session.sandboxId, sessionId: session.sessionId }, 'session closed');
    }
    return over === undefined ? ok(undefined) : err(over);
  };
}

/** Proves who calls, then puts the session on record: guarded by the sandbox and the credential as they were judged. */
async function openSession(options: SessionServiceOptions, hello: Hello): Promise<Result<ReportingSession, Failure>> {
  const { world, writer, membership, reached, randomId } = options;
  const { sandboxId, memberId, runtimeId } = hello;
  const proven = await proveHello(options, hello);
  if (!proven.ok) return proven;
  for (let attempt = 0; attempt < OPEN_TRIES_MAX; attempt += 1) {
    const own = membership.current();
    if (own === undefined) return err(failure('not-ready', 'this gateway holds no authority; try another'));
    const sandbox = world.sandboxes.get(sandboxId);
    const credential = world.credentials.get(sandboxId);
    if (sandbox === undefined || credential === undefined) return err(failure('unknown', 'no such sandbox'));
    if (sandbox.value.runtimeId !== runtimeId) return err(fenced('runtime', 'the workload has another life now'));
    const member = world.members(sandbox.value.poolId).get(memberId)?.value;
    if (member === undefined) return err(fenced('member', "the member has not joined the sandbox's pool"));
    const present = world.session(sandboxId, memberId);
    const key = sessionKey(sandboxId, memberId);
    const sessionId = randomId() as SessionId;
    const record = {
      gatewayId: own.gatewayId,
      gatewayEpoch: own.epoch,
      sessionId,
      runtimeId,
      credentialEpoch: credential.value,
      // Its own id stands where the driver proved none.
      ...(member.supervisorUid === memberId ? {} : { supervisorUid: member.supervisorUid }),
    };
    const written = await writer.write({
      guards: [
        present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision },
        { key: sandboxKey(sandboxId), is: 'unmoved-since', revision: sandbox.modRevision },
        { key: credentialKey(sandboxId), is: 'unmoved-since', revision: credential.modRevision },
      ],
      puts: [{ key, value: (opId) => encodeSession(record, opId) }],
    });
    if (written.kind === 'no-authority' || written.kind === 'unknown')
      return err(failure('not-ready', 'the store does not answer; try another gateway'));
    // Its own record must be in view before the first step, or the session would seem to have been replaced.
    await reached(written.revision);
    if (written.kind === 'committed') return ok({ sandboxId, memberId, sessionId, credentialEpoch: credential.value });
  }
  return err(failure('conflict', "the sandbox's records keep moving; try again"));
}

async function proveHello(
  { world, joins, prove }: SessionServiceOptions,
  { sandboxId, memberId, credential }: Hello,
): Promise<Result<void, Failure>> {
  const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
  if (poolId === undefined) return err(failure('unknown', 'no such sandbox'));
  // The member proved this very credential when it joined here; a sandbox token is bound to an epoch and is looked at again.
  if (joins.proved(memberId, fingerprint(credential), poolId)) return ok(undefined);
  const proof = await prove(credential);
  if (!proof.ok) return proof;
  if (proof.value.poolId !== poolId) return err(failure('forbidden', 'the credential is for another pool'));
  if (proof.value.sandboxId !== undefined && proof.value.sandboxId !== (sandboxId as SandboxId))
    return err(failure('forbidden', 'the credential is for another sandbox'));
  return ok(undefined);
}
