import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { DEFAULT_LIMITS } from './limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-edge-'));
const file = join(folder, 'token');
writeFileSync(file, 'token');
afterAll(() => rmSync(folder, { recursive: true }));

const NEEDED = ['--discovery=a:7443', `--credential-file=${file}`, `--discovery-ca-file=${file}`];
const problems = (...args: string[]): readonly string[] => {
  const reading = readConfig({ env: {}, args });
  return reading.kind === 'invalid' ? reading.problems : [];
};

describe('the configuration', () => {
  test('needs a discovery, a credential and a CA; the rest has defaults', () => {
    const reading = readConfig({ env: {}, args: NEEDED });
    expect(reading).toMatchObject({
      kind: 'read',
      config: { discovery: ['a:7443'], listen: { host: '0.0.0.0', port: 443 }, sendsProxy: false, limits: DEFAULT_LIMITS },
    });
  });

  test('takes several discoveries, from the environment as well', () => {
    const env = { SALLYPORT_DISCOVERY: 'a:1,b:2', SALLYPORT_CREDENTIAL_FILE: file, SALLYPORT_INTERNAL_CA_FILE: file };
    expect(readConfig({ env, args: [] })).toMatchObject({ kind: 'read', config: { discovery: ['a:1', 'b:2'] } });
  });

  const rows: [title: string, args: string[], problem: RegExp][] = [
    ['no discovery', NEEDED.slice(1), /--discovery is missing/],
    ['a URL for a discovery', [...NEEDED, '--discovery=https://b'], /is not host:port/],
    ['no credential', [NEEDED[0] as string, NEEDED[2] as string], /--credential-file is missing/],
    ['no CA at all', NEEDED.slice(0, 2), /--internal-ca-file is missing/],
    ['a certificate without its key', [...NEEDED, `--internal-cert-file=${file}`], /go together/],
    ['a dial longer than all of them', [...NEEDED, '--dial-timeout=20s'], /longer than --reach-timeout/],
    ['a grace longer than a lease', [...NEEDED, '--handover-grace=16s'], /too large/],
    ['a workspace that is none', [...NEEDED, '--workspace=Team'], /--workspace/],
    ['no limit', [...NEEDED, '--max-pending=0'], /too small/],
  ];
  test.each(rows)('is refused with %s', (_title, args, problem) =>
    expect(problems(...args)).toEqual([expect.stringMatching(problem)]),
  );
});
