import { expect, test } from 'vitest';
import { readOptions, usage } from './options.ts';

const known = { scenarios: ['small', 'latency'], peers: ['nginx', 'caddy'] };
const read = (...args: string[]) => readOptions(args, known);
const all = { rounds: 5, scenarios: [], peers: undefined, jsonFile: undefined, profileFolder: undefined };

test.each([
  [[], all],
  [['--rounds', '1'], { ...all, rounds: 1 }],
  [['--scenario', 'small,latency'], { ...all, scenarios: ['small', 'latency'] }],
  [['--scenario=small', '--scenario=latency'], { ...all, scenarios: ['small', 'latency'] }],
  [['--peers', 'nginx,caddy'], { ...all, peers: ['nginx', 'caddy'] }],
  [['--peers', 'none'], { ...all, peers: [] }],
  [['--json', 'out.json'], { ...all, jsonFile: 'out.json' }],
  [['--profile', 'out'], { ...all, profileFolder: 'out' }],
])('%j', (args, want) => {
  expect(read(...args)).toEqual(want);
});

test.each([
  [['--rounds', '0'], /--rounds is a whole number from 1 to 50/],
  [['--rounds', '51'], /--rounds/],
  [['--rounds', 'many'], /--rounds/],
  [['--scenario', 'large'], /no scenario "large": small, latency/],
  [['--peers', 'apache'], /no peer "apache": nginx, caddy/],
  [['--peers', 'none,nginx'], /no peer "none"/],
  [['--speed'], /--speed/],
  [['extra'], /extra/],
])('refuses %j', (args, problem) => {
  expect(read(...args)).toEqual({ problem: expect.stringMatching(problem) });
});

test('help comes before all else, and names what there is', () => {
  expect(read('--help', '--rounds', '3')).toBe('help');
  expect(usage(known)).toMatch(/small, latency[\s\S]*nginx, caddy/);
});
