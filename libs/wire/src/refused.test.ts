import { failure, ok } from '@sallyport/model';
import { expect, test } from 'vitest';
import { call, openStream } from './client.ts';
import { ComputeDriverServiceService as driver } from './gen/sallyport/driver/v1/driver.ts';
import { SupervisorServiceService as supervisor } from './gen/sallyport/supervisor/v1/supervisor.ts';
import type { RefusedCall } from './refused.ts';
import { ask, authority, drivers, link, serve, source, spiffe, supervisors } from './testing/wired.ts';

const listening = () => {
  const refused: RefusedCall[] = [];
  return { refused, onRefused: (one: RefusedCall) => void refused.push(one) };
};
const told = (refused: readonly RefusedCall[]): string[] =>
  refused.map(({ path, status }) => `${path.slice(path.lastIndexOf('/') + 1)} ${status}`);

test('a refusal by the handler, by the port and by gRPC itself are told, each once', async () => {
  const { refused, onRefused } = listening();
  const server = await serve([drivers({ getSandbox: async () => ({ ok: false, error: failure('unknown', 'none') }) })], {
    onRefused,
    messageBytesMax: 1_000,
  });
  await ask(link(server));
  const other = await source(await authority.issue('supervisor', spiffe('supervisor')));
  await ask(link(server, { tls: other }));
  await call(link(server), driver.getSandbox, { workspace: 'x'.repeat(1_001), sandbox: '' }, { deadlineMs: 5_000 });
  expect(told(refused)).toEqual(['GetSandbox NOT_FOUND', 'GetSandbox PERMISSION_DENIED', 'GetSandbox RESOURCE_EXHAUSTED']);
});

test('what ends well is not told', async () => {
  const { refused, onRefused } = listening();
  const server = await serve([drivers({ getSandbox: async () => ok({ workload: undefined }) })], { onRefused });
  await ask(link(server));
  expect(refused).toEqual([]);
});

test('a stream that is refused is told as well, once', async () => {
  const { refused, onRefused } = listening();
  const server = await serve([supervisors(async () => ({ ok: false, error: failure('unauthenticated', 'who?') }))], {
    onRefused,
    clients: { kind: 'certificate', apps: ['gateway'] },
  });
  await openStream(link(server), supervisor.session).closed;
  expect(told(refused)).toEqual(['Session UNAUTHENTICATED']);
});
