import { call, gatewayV1, type Link, supervisorV1 } from '@sallyport/wire';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, startStage } from './misuse/stage.ts';
import { until } from './rig/until.ts';

const methods = gatewayV1.GatewayServiceService;
let stage: Stage;
let operator: Link;
beforeAll(async () => {
  stage = await startStage();
  operator = await stage.link('operator', undefined);
});
afterAll(() => stage.close());

test('signing keys are rotated while all runs: the old key verifies, the newest signs', async () => {
  const old = await stage.pki.operatorToken({ kind: 'admin' });
  const register = async (sandbox: string, bearer: string): Promise<string> => {
    const request = { name: { workspace: 'team', sandbox }, mode: supervisorV1.Mode.MODE_DEDICATED, poolId: '', runtimeId: 'r' };
    const answer = await call(operator, methods.registerSandbox, request, { deadlineMs: 30_000, bearer });
    if (!answer.ok) throw new Error(answer.error.message);
    return decodeProtectedHeader(answer.value.supervisorToken).kid ?? '';
  };
  const before = await register('one', old);
  await stage.pki.addSigningKey('key-2');
  // The directory is looked at each 5 s. Registering again gives a token anew.
  await until('the newest key signs', async () => (await register('one', old)) !== before, 60_000);
  const fresh = await stage.pki.operatorToken({ kind: 'admin' });
  expect(await register('two', fresh)).not.toBe(before);
  expect(await register('three', old)).not.toBe(before);
});
