import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '@sallyport/pki';
import { createClock } from '@sallyport/process';
import { livelyMachine } from '@sallyport/process/lively';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEtcd, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';
import { committed, put } from '../testing/harness.ts';
import { createEtcdStore, type EtcdTls, type EtcdWarning } from './index.ts';

/** For what cannot succeed: no need to try for long. */
const FAILS_WITHIN_MS = 1_500;

describeEtcd('etcd that asks for client certificates', () => {
  const clock = createClock(livelyMachine);
  let directory: string;
  let cluster: TestCluster;
  const file = (name: string): string => join(directory, name);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sallyport-etcd-tls-'));
    const validity = { days: 2, now: new Date() };
    const [ours, strange] = [
      await createAuthority({ commonName: 'etcd', ...validity }),
      await createAuthority({ commonName: 'another', ...validity }),
    ];
    // etcd's own health check is a client of itself, so its certificate is for both.
    const usages = ['server', 'client'] as const;
    const server = await ours.issue({ dnsNames: ['localhost', 'etcd.test'], usages, ...validity });
    const client = await ours.issue({ dnsNames: ['gateway.test'], usages: ['client'], ...validity });
    const stranger = await strange.issue({ dnsNames: ['gateway.test'], usages: ['client'], ...validity });
    const files = { ca: ours.certPem, strange: strange.certPem };
    for (const [name, text] of Object.entries(files)) await writeFile(file(`${name}.crt`), text);
    for (const [name, issued] of Object.entries({ server, client, stranger })) {
      await writeFile(file(`${name}.crt`), issued.certPem);
      await writeFile(file(`${name}.key`), issued.keyPem);
    }
    cluster = await startTestCluster({ tls: { caFile: file('ca.crt'), ...pair('server') } });
  });
  afterAll(async () => {
    await cluster?.stop();
    clock.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const pair = (name: string) => ({ certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) });
  async function connect(tls: EtcdTls, host = 'localhost', deadlineMs = 20_000) {
    const warnings: EtcdWarning[] = [];
    const port = cluster.endpoints[0]?.split(':')[1];
    const store = await createEtcdStore({
      ...{ endpoints: [`https://${host}:${port}`], tls, clock, deadlineMs, onDisconnected: () => undefined },
      onWarning: (warning) => void warnings.push(warning),
    });
    return { store, warnings };
  }

  test('takes ours', async () => {
    const { store } = await connect({ caFile: file('ca.crt'), ...pair('client') });
    await committed(store, [put('/tls/a', '1')]);
    await store.close();
  });
  test('takes ours at an address, by the name that its certificate has', async () => {
    const { store } = await connect({ caFile: file('ca.crt'), ...pair('client'), serverName: 'etcd.test' }, '127.0.0.1');
    await committed(store, [put('/tls/b', '1')]);
    await store.close();
  });

  const rows: [title: string, tls: () => EtcdTls, says: RegExp][] = [
    [
      'without a certificate',
      () => ({ caFile: file('ca.crt') }),
      /no etcd at localhost:\d+ yet: .*(certificate|reset|dropped|ended|closed|EPIPE)/i,
    ],
    ["with another CA's certificate", () => ({ caFile: file('ca.crt'), ...pair('stranger') }), /no etcd at localhost:\d+ yet/],
    [
      'where it is not the etcd we trust',
      () => ({ caFile: file('strange.crt'), ...pair('client') }),
      /unable to verify|certificate/i,
    ],
    [
      'under a name that its certificate does not have',
      () => ({ caFile: file('ca.crt'), ...pair('client'), serverName: 'other.test' }),
      /other\.test|altnames/i,
    ],
  ];
  test.concurrent.each(rows)('nothing is read or written %s, and the warning says so', async (_title, tls, says) => {
    const { store, warnings } = await connect(tls(), 'localhost', FAILS_WITHIN_MS);
    expect(warnings.map(({ kind }) => kind)).toEqual(['unreachable']);
    expect(warnings[0]?.message).toMatch(says);
    expect((await store.commit({ guards: [], changes: [put('/tls/c', '1')] })).kind).toBe('unknown');
    await store.close();
  });

  test('files that cannot work are refused at once, by name', async () => {
    await expect(connect({ caFile: file('none.crt') })).rejects.toThrow(/CA's certificate.*none\.crt/);
    await expect(connect({ caFile: file('ca.crt'), certFile: file('client.crt') })).rejects.toThrow(/goes with its key/);
    await expect(connect({ caFile: file('ca.crt'), certFile: file('client.crt'), keyFile: file('server.key') })).rejects.toThrow(
      /not usable/,
    );
  });
  test('files that were replaced are used for the next connection', async () => {
    const swapped = { certFile: file('swapped.crt'), keyFile: file('swapped.key') };
    const use = async (name: string): Promise<void> => {
      const { readFile } = await import('node:fs/promises');
      await writeFile(swapped.certFile, await readFile(file(`${name}.crt`)));
      await writeFile(swapped.keyFile, await readFile(file(`${name}.key`)));
    };
    await use('stranger');
    const { store, warnings } = await connect({ caFile: file('ca.crt'), ...swapped }, 'localhost', FAILS_WITHIN_MS);
    expect(warnings.map(({ kind }) => kind)).toEqual(['unreachable']);
    await use('client');
    // An attempt to connect that began with the old files may be under way still.
    const commits = async (): Promise<string> => (await store.commit({ guards: [], changes: [put('/tls/d', '1')] })).kind;
    await expect.poll(() => commits()).toBe('committed');
    await store.close();
  });
});
