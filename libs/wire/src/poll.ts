import type { ConfigRevision, Configuration, Failure, MemberId, Result, SandboxId, SessionId } from '@sallyport/model';
import { admitted } from './check.ts';
import { configurationMessage, readConfiguration } from './configuration.ts';
import type * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';
import { AGE_MS_MAX } from './session-responses.ts';

export interface PollRequest {
  readonly sessionId: SessionId;
  readonly sandboxId: SandboxId;
  readonly memberId: MemberId;
  /** Secret. */
  readonly credential: string;
  /** The snapshot that the member has. */
  readonly known: { readonly revision: ConfigRevision; readonly hash: string } | undefined;
}

export interface PollResponse {
  /** Undefined: not modified, which is a delivery as well. */
  readonly configuration: Configuration | undefined;
  /** How old the gateway's own view is, milliseconds. */
  readonly ageMs: number;
}

export const pollRequestMessage = ({
  sessionId,
  sandboxId,
  memberId,
  credential,
  known,
}: PollRequest): pb.PollConfigurationRequest => ({
  sessionId,
  sandboxId,
  memberId,
  credential,
  knownRevision: known?.revision ?? 0n,
  knownHash: known?.hash ?? '',
});

export const parsePollRequest = (message: pb.PollConfigurationRequest): Result<PollRequest, Failure> =>
  admitted((check) => ({
    sessionId: check.id<SessionId>('session_id', message.sessionId),
    sandboxId: check.id<SandboxId>('sandbox_id', message.sandboxId),
    memberId: check.id<MemberId>('member_id', message.memberId),
    credential: check.credential('credential', message.credential),
    known:
      message.knownRevision === 0n
        ? undefined
        : {
            revision: check.epoch<ConfigRevision>('known_revision', message.knownRevision),
            hash: check.hash('known_hash', message.knownHash),
          },
  }));

export const pollResponseMessage = ({ configuration, ageMs }: PollResponse): pb.PollConfigurationResponse => ({
  configuration: configuration === undefined ? undefined : configurationMessage(configuration),
  // Rounded up: the view is never younger than stated.
  ageMs: Math.ceil(ageMs),
});

export const parsePollResponse = (message: pb.PollConfigurationResponse): Result<PollResponse, Failure> =>
  admitted((check) => ({
    configuration:
      message.configuration === undefined ? undefined : readConfiguration(check, 'configuration', message.configuration),
    ageMs: check.atMost('age_ms', message.ageMs, AGE_MS_MAX),
  }));
