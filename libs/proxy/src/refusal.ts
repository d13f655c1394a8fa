import { ANSWERS, type AnswerContext, answerCloses, type Code, writeAnswer } from '@sallyport/http1';
import type { DialFailure } from './connector.ts';
import type { CloseReason } from './streams.ts';

/** An answer of our own, and what it means for the connection. */
export interface OwnAnswer {
  readonly text: string;
  readonly status: number;
  readonly close: boolean;
}

export const answerOurselves = (code: Code, context: AnswerContext): OwnAnswer => ({
  text: writeAnswer(code, context),
  status: ANSWERS[code].status,
  close: answerCloses(code, context),
});

/** One row for each way in which a dial fails: the code for the client, the reason for the log. */
export function refusalOfDial(failure: DialFailure): [code: Code, reason: string] {
  switch (failure.kind) {
    case 'refused':
      return ['app_unreachable', 'nothing listens'];
    case 'forbidden':
      return ['app_unreachable', 'the port is one of our own listeners'];
    case 'timeout':
      return ['app_timeout', 'no answer to the connect'];
    case 'aborted':
      return ['draining', 'the dial was aborted'];
    case 'failed':
      return ['app_unreachable', failure.message];
  }
}

/** What a client reads whose request was revoked before anything of it had left. */
export const CODE_OF_REVOCATION: Record<CloseReason, Code> = {
  withdrawn: 'route_withdrawn',
  expired: 'not_fresh',
  stopped: 'draining',
  drained: 'draining',
};
