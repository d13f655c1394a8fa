import { test } from 'vitest';
import { servesLate } from '../testing/late-sandbox.ts';

test('npm start -- --mode dedicated: a sandbox that is registered later gets a supervisor', () => servesLate([], []), 60_000);
