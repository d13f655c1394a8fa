import { boundaries } from './boundaries.ts';
import { losses } from './losses.ts';
import { races } from './races.ts';
import type { Scenario } from './scenario.ts';
import { serving } from './serving.ts';
import { takeovers } from './takeovers.ts';
import { traces } from './traces.ts';

export { play, type Scenario } from './scenario.ts';
export const scenarios: readonly Scenario[] = [...serving, ...takeovers, ...losses, ...traces, ...races, ...boundaries];
