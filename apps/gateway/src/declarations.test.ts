import { createWorld, type RecordChange } from '@sallyport/authority';
import { DEFAULT_POLICY, type ServiceName } from '@sallyport/model';
import { expect, test } from 'vitest';
import { createDeclarations } from './declarations.ts';

const plain = (value: unknown): never => value as never;
const held = (value: unknown) => ({ value, modRevision: 5n, createRevision: 5n });
const long = 'w'.repeat(60);

function installation(...more: object[]) {
  const world = createWorld();
  const changes = [
    { key: { kind: 'name', workspace: 'team', sandbox: 'demo' }, held: held('sb1') },
    { key: { kind: 'sandbox', sandboxId: 'sb1' }, held: held({ workspace: 'team', sandbox: 'demo', poolId: 'p' }) },
    {
      key: { kind: 'config', sandboxId: 'sb1' },
      held: held({ sandboxId: 'sb1', workspace: 'team', sandbox: 'demo', revision: 1n, services: [] }),
    },
    ...more,
  ];
  world.apply(plain(changes) as RecordChange[], plain(5n));
  const writer = { write: async () => ({ kind: 'committed' as const, revision: plain(6n) }) };
  const declarations = createDeclarations({ world, reached: async () => undefined, writer, domain: 'apps.test' });
  const expose = (service: string) =>
    declarations.expose(plain({ workspace: 'team', sandbox: 'demo' }), {
      service: service as ServiceName,
      port: 80,
      policy: DEFAULT_POLICY,
    });
  return { expose, declarations };
}

test('a service has a readable host where there is room, else one with a digest', async () => {
  const { expose } = installation();
  expect(await expose('web')).toMatchObject({ value: { services: [{ host: 'team--demo--web.apps.test' }] } });
  expect(await expose(long)).toMatchObject({
    value: { services: [{ host: expect.stringMatching(/^team-demo-w{20}-[0-9a-f]{32}\.apps\.test$/) }] },
  });
});

test('a digest that is another sandbox’s host is refused, not shared', async () => {
  const first = await installation().expose(long);
  const services = first.ok ? first.value.services : [];
  const other = { key: { kind: 'config', sandboxId: 'sb2' }, held: held({ workspace: 'other', sandbox: 'box', services }) };
  expect(await installation(other).expose(long)).toMatchObject({
    error: { kind: 'conflict', message: expect.stringMatching(/another sandbox/) },
  });
});

test('to register is the advice for what shall be declared, not for a name that was mistaken', async () => {
  const { declarations } = installation();
  const ref = plain({ workspace: 'team', sandbox: 'dmeo' }) as Parameters<typeof declarations.expose>[0];
  const service = 'web' as ServiceName;
  expect(await declarations.expose(ref, { service, port: 80, policy: DEFAULT_POLICY })).toMatchObject({
    error: {
      kind: 'unknown',
      message: 'sandbox team/dmeo is not registered; register it first: sallyport sandbox register team/dmeo',
    },
  });
  expect(await declarations.withdraw(ref, service)).toMatchObject({
    error: { kind: 'unknown', message: 'sandbox team/dmeo is not registered' },
  });
});
