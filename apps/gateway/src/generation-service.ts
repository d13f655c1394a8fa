import { ok } from '@sallyport/model';
import type { gatewayV1, HandlersOf } from '@sallyport/wire';
import type { Generations } from './generations.ts';
import type { Operators } from './operators.ts';

/** The operator API's part about the store's life: for admins alone. */
export function createGenerationService(
  operators: Operators,
  generations: Generations,
): Pick<HandlersOf<typeof gatewayV1.GatewayServiceService>, 'beginGeneration'> {
  return {
    async beginGeneration(_request, caller) {
      const operator = await operators.admit(caller, 'beginGeneration', undefined);
      if (!operator.ok) return operator;
      const begun = await generations.begin();
      operators.audit(operator.value, 'beginGeneration', begun.ok ? begun.value.generation : '(none)', begun);
      return begun.ok ? ok({ ...begun.value }) : begun;
    },
  };
}
