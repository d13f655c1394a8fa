import { startStanding } from '@sallyport/authority';
import {
  type ConfiguredService,
  DEFAULT_POLICY,
  err,
  type Host,
  later,
  type SandboxId,
  type ServiceName,
} from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { EMPTY_TABLE, install } from '@sallyport/routes';
import { describe, expect, test } from 'vitest';
import { createInstances } from './instances.ts';
import { DEFAULT_LIMITS } from './limits.ts';

const service = (host: string): ConfiguredService => ({
  host: host as Host,
  service: '' as ServiceName,
  port: 1,
  policy: DEFAULT_POLICY,
});
const nobody = { dial: () => Promise.resolve(err({ kind: 'refused' } as const)) };

function world() {
  const clock = createManualClock();
  const instances = createInstances({ clock });
  return {
    instances,
    owner: (host: string) => instances.byHost(host as Host)?.sandboxId,
    start: (id: string) => {
      const instance = instances.start({
        sandboxId: id as SandboxId,
        mode: 'dedicated',
        connector: nobody,
        limits: DEFAULT_LIMITS,
      });
      let table = EMPTY_TABLE;
      return {
        instance,
        serve(...hosts: string[]) {
          table = install(table, hosts.map(service)).table;
          return instance.update(table, {
            ...startStanding('dedicated'),
            acknowledged: true,
            freshUntil: later(clock.now(), 1_000),
          });
        },
      };
    },
  };
}

describe('a host', () => {
  test('belongs to whoever serves it', () => {
    const { instances, owner, start } = world();
    start('s1').serve('a.test');
    expect([owner('a.test'), owner('b.test'), instances.claims('a.test' as Host)]).toEqual(['s1', undefined, 's1']);
  });

  test('is not taken from the first by a second', () => {
    const { owner, start } = world();
    start('s1').serve('a.test');
    expect(start('s2').serve('a.test', 'b.test')).toEqual(['a.test']);
    expect([owner('a.test'), owner('b.test')]).toEqual(['s1', 's2']);
  });

  test('passes to the second at its next update, once the first has given it up', () => {
    const { owner, start } = world();
    const [first, second] = [start('s1'), start('s2')];
    first.serve('a.test');
    second.serve('a.test');
    first.serve();
    expect(second.serve('a.test')).toEqual([]);
    expect(owner('a.test')).toBe('s2');
  });

  test('stays known after it was withdrawn, but not claimed', () => {
    const { instances, owner, start } = world();
    const sandbox = start('s1');
    sandbox.serve('a.test');
    sandbox.serve();
    expect([owner('a.test'), instances.claims('a.test' as Host)]).toEqual(['s1', undefined]);
  });

  test('is forgotten when its instance ends, and serves nothing afterwards', () => {
    const { instances, owner, start } = world();
    const sandbox = start('s1');
    sandbox.serve('a.test');
    sandbox.instance.stop('stopped');
    sandbox.serve('a.test');
    expect([owner('a.test'), instances.all().length]).toEqual([undefined, 0]);
  });

  test('is forgotten also when its standing said first that it no longer runs', () => {
    const { instances, owner, start } = world();
    const sandbox = start('s1');
    sandbox.serve('a.test');
    sandbox.instance.update(EMPTY_TABLE, { ...startStanding('dedicated'), running: false });
    sandbox.instance.stop('stopped');
    expect([owner('a.test'), instances.all().length]).toEqual([undefined, 0]);
  });
});
