import { anchors } from './anchors.ts';
import { laterTraces } from './later-traces.ts';
import { margins } from './margins.ts';
import type { Row } from './row.ts';
import { traces } from './traces.ts';

export const rows: readonly Row[] = [...margins, ...anchors, ...traces, ...laterTraces];
