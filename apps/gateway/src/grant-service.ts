import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { admitted, type gatewayV1, type HandlersOf, isPrincipal } from '@sallyport/wire';
import type { Grants } from './grants.ts';
import type { Operators } from './operators.ts';

type GrantHandlers = Pick<HandlersOf<typeof gatewayV1.GatewayServiceService>, 'setGrant' | 'listGrants'>;

/** Workspaces that one request may name. */
const WORKSPACES_MAX = 1_000;

/** The operator API's part about grants: for admins alone, and every change leaves an audit line. */
export function createGrantService(operators: Operators, grants: Grants): GrantHandlers {
  return {
    async setGrant({ principal, workspaces }, caller) {
      const operator = await operators.admit(caller, 'setGrant', undefined);
      if (!operator.ok) return operator;
      const asked = readAsked(principal, workspaces);
      const set = asked.ok ? await grants.set(principal, asked.value) : asked;
      const about = asked.ok ? `${principal} may see ${asked.value.join(' ') || 'nothing'}` : '(malformed)';
      operators.audit(operator.value, 'setGrant', about, set);
      return set.ok ? ok({ grant: { principal, ...set.value, workspaces: [...set.value.workspaces] } }) : set;
    },
    async listGrants(_request, caller) {
      const operator = await operators.admit(caller, 'listGrants', undefined);
      if (!operator.ok) return operator;
      return ok({ grants: grants.list().map((grant) => ({ ...grant, workspaces: [...grant.workspaces] })) });
    },
  };
}

function readAsked(principal: string, workspaces: readonly string[]) {
  if (!isPrincipal(principal)) {
    const refusal: Result<never, Failure> = err(failure('malformed', 'principal is not 1 to 100 visible ASCII characters'));
    return refusal;
  }
  return admitted((check) => check.list('workspaces', workspaces, WORKSPACES_MAX, (name) => check.workspace('workspaces', name)));
}
