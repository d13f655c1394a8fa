import type { Clock } from '@sallyport/process';
import type { ExchangeRecord } from '@sallyport/proxy';
import type { Config } from './config.ts';
import type { WantedService } from './service-option.ts';
import type { Stack } from './stack.ts';
export function createFollower(_config: Config, _wanted: readonly WantedService[]) {
  return {
    observe(_record: ExchangeRecord) {},
    begin(stack: Stack, _clock: Clock) {
      void stack.operator.list().then((s) => console.log(s));
    },
    close() {},
  };
}
