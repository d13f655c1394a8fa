import type { Endpoint, ReportingSession, World } from '@sallyport/authority';
import { err, type Failure, failure, type Instant, later, ok, type Result, type SessionId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { Driver } from './driver.ts';

/** A driver that restarts is no reason to unpublish a fleet: its last answer about a session stands for this long. */
export const DRIVER_GRACE_MS = 15_000;
/** Sessions whose last endpoint is remembered. */
const ANSWERED_MAX = 50_000;
/** All sandboxes of a member are reached at one place: reports of one beat share a question. */
const SHARED_FOR_MS = 1_000;

export type ResolveEndpoint = (session: ReportingSession) => Promise<Result<Endpoint, Failure>>;

/** Where a session's member can be reached, from the driver alone. */
export function createEndpoints(world: World, driver: Pick<Driver, 'endpoint'>, clock: Clock): ResolveEndpoint {
  const answered = new Map<SessionId, { readonly endpoint: Endpoint; readonly at: Instant }>();
  const asked = new Map<string, { readonly answer: ReturnType<Driver['endpoint']>; readonly at: Instant }>();

  function ask(member: Parameters<Driver['endpoint']>[0]): ReturnType<Driver['endpoint']> {
    const key = `${member.poolId}/${member.memberId}/${member.supervisorUid}/${member.appPort}`;
    const recent = asked.get(key);
    if (recent !== undefined && clock.now() < later(recent.at, SHARED_FOR_MS)) return recent.answer;
    const question = { answer: driver.endpoint(member), at: clock.now() };
    asked.set(key, question);
    // What was refused is asked again by the next report.
    void question.answer.then((answer) => {
      if (!answer.ok && asked.get(key) === question) asked.delete(key);
    });
    if (asked.size > ANSWERED_MAX) asked.delete(asked.keys().next().value as string);
    return question.answer;
  }

  return async ({ sandboxId, memberId, sessionId }) => {
    const poolId = world.sandboxes.get(sandboxId)?.value.poolId;
    const member = poolId === undefined ? undefined : world.members(poolId).get(memberId)?.value;
    if (poolId === undefined || member === undefined) return err(failure('unknown', 'the member has left'));
    const endpoint = await ask({ poolId, memberId, supervisorUid: member.supervisorUid, appPort: member.appPort });
    if (endpoint.ok) {
      answered.set(sessionId, { endpoint: endpoint.value, at: clock.now() });
      if (answered.size > ANSWERED_MAX) answered.delete(answered.keys().next().value as SessionId);
      return endpoint;
    }
    const last = answered.get(sessionId);
    const recent = endpoint.error.kind === 'not-ready' && last !== undefined && clock.now() < later(last.at, DRIVER_GRACE_MS);
    return recent ? ok(last.endpoint) : endpoint;
  };
}
