import { expect, test } from 'vitest';
import { type CertificateFacts, judgeCertificate } from './judge-certificate.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2030-06-01');
const good: CertificateFacts = { names: ['*.apps.test'], validFromMs: NOW - DAY, validToMs: NOW + 60 * DAY };
const needs = { domain: 'apps.test', hosts: ['team--demo.apps.test'], which: 'the certificate' };

const rows: [title: string, facts: Partial<CertificateFacts>, hosts: string[], state: string, detail: RegExp][] = [
  ['a wildcard', {}, needs.hosts, 'holds', /covers \*\.apps\.test until 2030-07-31/],
  ['a wildcard before anything is declared', {}, [], 'holds', /covers/],
  ['each declared host', { names: ['team--demo.apps.test'] }, needs.hosts, 'holds', /the 1 declared hosts one by one/],
  [
    'one of two declared hosts',
    { names: ['team--demo.apps.test'] },
    [...needs.hosts, 'b.apps.test'],
    'fails',
    /not for b\.apps\.test/,
  ],
  ['the domain itself alone', { names: ['apps.test'] }, [], 'fails', /is for apps\.test, not for \*\.apps\.test/],
  ['a wildcard of the parent: it covers one label only', { names: ['*.test'] }, [], 'fails', /not for \*\.apps\.test/],
  ['a wildcard of another domain', { names: ['*.apps.test.evil'] }, needs.hosts, 'fails', /not for team--demo/],
  ['no names', { names: [] }, [], 'fails', /is for no host/],
  ['it is not valid yet', { validFromMs: NOW + 1 }, [], 'fails', /not valid before 2030-06-01/],
  ['it ended this moment', { validToMs: NOW }, [], 'fails', /ended on 2030-06-01/],
  ['thirteen days are left', { validToMs: NOW + 13 * DAY }, [], 'fails', /ends in 13 days, on 2030-06-14/],
  ['fourteen days are left', { validToMs: NOW + 14 * DAY }, [], 'holds', /until/],
];
test.each(rows)('%s', (_title, facts, hosts, state, detail) => {
  const found = judgeCertificate({ ...good, ...facts }, { ...needs, hosts }, NOW);
  expect(found).toMatchObject({ state, detail: expect.stringMatching(detail) });
  expect(found.nextStep === '').toBe(state === 'holds');
});
