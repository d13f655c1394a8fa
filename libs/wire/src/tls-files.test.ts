import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import { ok } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createTestAuthority } from './testing/certificates.ts';
import { ask, drivers, link, serve, source, spiffe, undo } from './testing/wired.ts';
import { openTlsFiles } from './tls-files.ts';

describe('files that change', () => {
  test('are used for new connections; a broken pair is refused and the old one stays', async () => {
    const rolling = await createTestAuthority();
    undo.push(() => rolling.remove());
    const first = await rolling.issue('driver', spiffe('driver'));
    const tls = await source(first, 10);
    const server = await serve([drivers({ getSandbox: async () => ok({ workload: undefined }) })], { tls });
    const clientFiles = await rolling.issue('gateway', spiffe('gateway'));
    const client = await source(clientFiles, 10);
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });

    const serial = async (): Promise<string> => {
      const socket = connectTls({
        host: '127.0.0.1',
        port: server.address.port,
        rejectUnauthorized: false,
        ALPNProtocols: ['h2'],
      });
      await once(socket, 'secureConnect');
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    const before = await serial();
    writeFileSync(first.keyFile, 'not a key');
    await expect.poll(() => tls.problem()).toMatch(/not a PEM file/);
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });
    expect(await serial()).toBe(before);

    copyFileSync(clientFiles.keyFile, first.keyFile);
    await expect.poll(() => tls.problem()).toMatch(/do not belong together/);
    await rolling.issue('driver', spiffe('driver'));
    await expect.poll(() => serial()).not.toBe(before);
    expect(tls.problem()).toBeUndefined();
    expect(await ask(link(server, { tls: client }))).toMatchObject({ ok: true });

    await rolling.issue('gateway', spiffe('edge'));
    await expect.poll(async () => ask(link(server, { tls: client }))).toMatchObject({ error: { kind: 'forbidden' } });
  });

  test.each([
    ['a file that is missing', { caFile: '/nowhere/ca.crt' }, /cannot be read \(ENOENT\)/],
    ['a CA that is none', { caFile: '/etc/hostname' }, /not a PEM file/],
  ])('must be well at the start: %s', async (_title, files, why) => {
    expect(await openTlsFiles(files)).toEqual({ ok: false, error: expect.stringMatching(why) });
  });
});
