import { err, type Failure, failure, ok, type Result, type WorkspaceId } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import { type Caller, type GatewayMethod, mayCall, type Operator, type SigningKeys, verifyOperatorToken } from '@sallyport/wire';

/** Who calls, and that it may: nothing of the operator API runs without one. */
export interface Operators {
  admit(caller: Caller, method: GatewayMethod, workspace: WorkspaceId | undefined): Promise<Result<Operator, Failure>>;
  /** One audit line for each change that was asked for and could be understood, with its outcome. */
  audit(operator: Operator, method: GatewayMethod, about: string, outcome: Result<unknown, Failure>): void;
}

export function createOperators(keys: SigningKeys, log: Log): Operators {
  return {
    async admit(caller, method, workspace) {
      if (caller.bearer === undefined) return err(failure('unauthenticated', 'a bearer token is required'));
      const operator = await verifyOperatorToken(keys, caller.bearer, 'gateway');
      if (!operator.ok) return operator;
      if (mayCall(operator.value.role, method, workspace)) return operator;
      return err(
        failure(
          'forbidden',
          `${operator.value.role.kind} ${operator.value.principal} may not call ${method}${workspace === undefined ? '' : ` in ${workspace}`}`,
        ),
      );
    },
    audit(operator, method, about, outcome) {
      // Nothing that could be done was asked for; that the call was refused is said, once, like that of any other call.
      if (!outcome.ok && outcome.error.kind === 'malformed') return;
      const facts = { audit: method, principal: operator.principal, about };
      if (outcome.ok) log.info(facts, 'operator change');
      else log.warn({ ...facts, refused: outcome.error.kind }, 'operator change refused');
    },
  };
}

export const named = <T>(parsed: Result<T, string>): Result<T, Failure> =>
  parsed.ok ? ok(parsed.value) : err(failure('malformed', parsed.error));
