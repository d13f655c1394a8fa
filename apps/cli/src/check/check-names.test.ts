import { expect, test } from 'vitest';
import { checkNames } from './check-names.ts';
import type { Answered } from './resolver.ts';

const PROBE = 'sallyport-check-0a.apps.test';
const to = (...addresses: string[]): Answered => ({ kind: 'answered', addresses });
type Zone = Readonly<Record<string, Answered>>;

const rows: [title: string, zone: Zone, hosts: string[], state: string, detail: RegExp, addresses: string[]][] = [
  ['a wildcard', { [PROBE]: to('10.0.0.1') }, [], 'holds', /^\*\.apps\.test leads to 10\.0\.0\.1$/, ['10.0.0.1']],
  ['a wildcard, and hosts by it', { [PROBE]: to('10.0.0.1'), a: to('10.0.0.1') }, ['a'], 'holds', /leads to/, ['10.0.0.1']],
  ['no record', { [PROBE]: to() }, [], 'fails', /leads nowhere/, []],
  ['records of declared hosts alone', { [PROBE]: to(), a: to('10.0.0.1') }, ['a'], 'fails', /no wildcard record/, []],
  [
    'one host elsewhere',
    { [PROBE]: to('10.0.0.1'), a: to('10.0.0.9') },
    ['a'],
    'fails',
    /^a leads to 10\.0\.0\.9, /,
    ['10.0.0.1'],
  ],
  ['one host nowhere', { [PROBE]: to('10.0.0.1'), a: to() }, ['a'], 'fails', /^a leads nowhere, /, ['10.0.0.1']],
  ['a server that fails', { [PROBE]: { kind: 'failed', code: 'ESERVFAIL' } }, [], 'fails', /does not answer .*ESERVFAIL/, []],
];
test.each(rows)('%s', async (_title, zone, hosts, state, detail, addresses) => {
  const resolve = async (name: string): Promise<Answered> => zone[name] ?? to();
  const found = await checkNames(resolve, { domain: 'apps.test', probe: PROBE, hosts });
  expect(found.finding).toMatchObject({ state, detail: expect.stringMatching(detail) });
  expect(found.finding.nextStep === '').toBe(state === 'holds');
  expect(found.addresses).toEqual(addresses);
});
test.each(['localhost', 'apps.localhost'])('%s is this machine, whatever DNS says', async (domain) => {
  const asked = (): never => {
    throw new Error('DNS was asked');
  };
  const found = await checkNames(asked, { domain, probe: `x.${domain}`, hosts: [] });
  expect([found.finding.state, found.addresses]).toEqual(['holds', ['127.0.0.1']]);
});
