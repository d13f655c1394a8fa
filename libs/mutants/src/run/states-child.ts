// A process that looks at all orders of events in the small worlds, with all rules in place, and says what it has seen.

import { LONG, lookAtAll } from '@sallyport/states';

for (const looked of lookAtAll(LONG)) process.send?.(looked);
process.disconnect?.();
