import type { SandboxId } from '@sallyport/model';
import { configKey, credentialKey, generationKey } from '@sallyport/store';
import { call, gatewayV1, type Link, type UnaryMethod } from '@sallyport/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POOL, type Stage, startStage } from './misuse/stage.ts';
import { startEchoApp } from './rig/echo-app.ts';
import { get } from './rig/prober.ts';
import { until } from './rig/until.ts';

const methods = gatewayV1.GatewayServiceService;
let stage: Stage;
let operator: Link;
let token: string;
const app = await startEchoApp();

beforeAll(async () => {
  stage = await startStage();
  operator = await stage.link('operator', undefined);
  token = await stage.pki.operatorToken({ kind: 'admin' });
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

async function ask<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response> {
  const answer = await call(operator, method, request, { deadlineMs: 30_000, bearer: token });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

/** What a restore does: the record is as it was at an earlier time. */
async function takeBack(key: string): Promise<() => Promise<void>> {
  const read = await stage.store.get(key);
  if (read.kind === 'unavailable' || read.value === undefined) throw new Error(`no ${key}`);
  const { value } = read.value;
  return async () => {
    await stage.store.commit({ guards: [], changes: [{ kind: 'put', key, value }] });
  };
}

test('after a restore nothing that was issued before counts, and supervisors recover by themselves', async () => {
  const { supervisor } = await stage.supervise({ listens: true });
  const name = { workspace: 'team', sandbox: 'box' };
  const own = { workspace: 'team', sandbox: 'own' };
  const registered = await ask(methods.registerSandbox, { name, mode: 2, poolId: POOL, runtimeId: 'r1' });
  const dedicated = await ask(methods.registerSandbox, { name: own, mode: 1, poolId: '', runtimeId: 'r2' });
  const sandboxId = registered.sandbox?.sandboxId as SandboxId;
  const service = { ...name, service: 'web' };
  const exposed = await ask(methods.exposeService, { name: service, port: app.port, policy: undefined });
  const host = exposed.service?.host ?? '';
  const served = (): Promise<string> => get(host, supervisor.appPort ?? 0, stage.pki.ca, '/x');
  const published = async (): Promise<boolean> => (await ask(methods.getService, { name: service })).service?.endpoint !== '';
  await until('published', published, 60_000);

  // The backup is of now; afterwards a credential is revoked and the supervisor takes two more configurations.
  const restoreConfig = await takeBack(configKey(sandboxId));
  const restoreCredential = await takeBack(credentialKey(sandboxId));
  await ask(methods.exposeService, { name: { ...name, service: 'api' }, port: app.port, policy: undefined });
  await ask(methods.deleteService, { name: { ...name, service: 'api' } });
  await ask(methods.bumpCredential, { name });
  await until('published again', published, 60_000);
  const before = await stage.store.get(generationKey);
  await restoreConfig();
  await restoreCredential();
  // Its supervisor holds a newer configuration and will not go back: what is on record is not what is served.
  const began = Date.now();
  const { generation, sandboxCount } = await ask(methods.beginGeneration, {});
  expect(sandboxCount).toBe(2);
  expect(before.kind === 'unavailable' ? '' : before.value?.value).not.toEqual(generation);

  await until('published in the new generation', published, 60_000);
  expect(await served()).toBe('ok');
  const after = (await ask(methods.getService, { name: service })).service;
  expect(Number(after?.configRevision)).toBeGreaterThanOrEqual(began);
  expect((await ask(methods.bumpCredential, { name })).credentialEpoch).toBeGreaterThan(BigInt(began));

  // The token of the sandbox's own supervisor is of the old generation: it is nobody's now.
  const refused = await stage.supervise({
    listens: false,
    pool: dedicated.sandbox?.poolId ?? '',
    credential: dedicated.supervisorToken,
  });
  await until(
    'the old token is refused',
    async () => (await stage.refusedCount('supervisor', 'Join', 'FAILED_PRECONDITION')) > 0,
    60_000,
  );
  expect(refused.supervisor.ready().find((check) => check.name === 'gateway')?.ok).toBe(false);
  const fresh = await ask(methods.registerSandbox, { name: own, mode: 1, poolId: '', runtimeId: 'r2' });
  const again = await stage.supervise({ listens: false, pool: fresh.sandbox?.poolId ?? '', credential: fresh.supervisorToken });
  await until('a new token is taken', () => again.supervisor.ready().every((check) => check.ok), 60_000);
});
