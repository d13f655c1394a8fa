import { FRESHNESS_MS, type World } from '@sallyport/authority';
import { err, failure, fenced, ok } from '@sallyport/model';
import { parsePollRequest, pollResponseMessage, type supervisorV1, type UnaryHandler } from '@sallyport/wire';
import type { ProveSupervisor } from './credentials.ts';
import { fingerprint } from './credentials.ts';
import type { Joins } from './joins.ts';

export interface PollServiceOptions {
  readonly world: World;
  readonly joins: Joins;
  readonly prove: ProveSupervisor;
  readonly ageMs: () => number | undefined;
}

/** The configuration for a member that polls, within its session: the same snapshot that a push would carry. */
export function createPollService({
  world,
  joins,
  prove,
  ageMs,
}: PollServiceOptions): UnaryHandler<supervisorV1.PollConfigurationRequest, supervisorV1.PollConfigurationResponse> {
  return async (message) => {
    const request = parsePollRequest(message);
    if (!request.ok) return request;
    const { sandboxId, memberId, sessionId, credential, known } = request.value;
    const sandbox = world.sandboxes.get(sandboxId)?.value;
    if (sandbox === undefined) return err(failure('unknown', 'no such sandbox'));
    if (!joins.proved(memberId, fingerprint(credential), sandbox.poolId)) {
      const proof = await prove(credential);
      if (!proof.ok) return proof;
      if (proof.value.poolId !== sandbox.poolId) return err(failure('forbidden', 'the credential is for another pool'));
      if (proof.value.sandboxId !== undefined && proof.value.sandboxId !== sandboxId) {
        return err(failure('forbidden', 'the credential is for another sandbox'));
      }
    }
    const session = world.session(sandboxId, memberId)?.value;
    if (session?.sessionId !== sessionId) return err(fenced('session', 'the session is over'));
    if (session.credentialEpoch !== world.credentials.get(sandboxId)?.value)
      return err(fenced('credential', 'the credential was revoked'));
    if (session.runtimeId !== sandbox.runtimeId) return err(fenced('runtime', 'the workload has another life now'));
    // Without authority a poll is not answered: "not modified" from a gateway that is cut off would keep withdrawn routes alive.
    const age = ageMs();
    const configuration = world.configs.get(sandboxId)?.value;
    if (age === undefined || configuration === undefined)
      return err(failure('not-ready', 'this gateway holds no authority; try another'));
    // A poll comes by a connection of its own: unlike a heartbeat it may overtake the word that the owner was fenced. Who is
    // not the owner gets the configuration, which it needs to become one, with an age that proves nothing.
    const owner = world.owners.get(sandboxId)?.value;
    const renews = owner?.kind === 'owned' && owner.by === memberId;
    const modified = known?.revision !== configuration.revision || known.hash !== configuration.hash;
    return ok(pollResponseMessage({ configuration: modified ? configuration : undefined, ageMs: renews ? age : FRESHNESS_MS }));
  };
}
