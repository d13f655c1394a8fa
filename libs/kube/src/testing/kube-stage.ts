import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@sallyport/pki';
import { type Clock, createClock, type RunningClock } from '@sallyport/process';
import { inFile } from '../api/access.ts';
import { type ClientLimits, createKubeClient, type KubeClient } from '../api/client.ts';
import { type Credentials, openCredentials } from '../api/credentials.ts';
import { DRIVER_RULES, REVIEW_RULES, SLICE_RULES } from './driver-role.ts';
import { type KubeApi, startKubeApi } from './kube-api/server.ts';

export const DRIVER_USER = 'system:serviceaccount:sallyport:driver';
/** An API server and a way to it, for tests of what calls it. */
export interface KubeStage {
  readonly api: KubeApi;
  readonly authority: Authority;
  readonly directory: string;
  readonly tokenFile: string;
  readonly caFile: string;
  readonly clock: RunningClock;
  connect(
    clock?: Clock,
    limits?: ClientLimits,
  ): Promise<{ readonly client: KubeClient; readonly credentials: Credentials; close(): Promise<void> }>;
  close(): Promise<void>;
}

let made: Promise<Authority> | undefined;

export async function openKubeStage({ firstVersion = 1_000 }: { readonly firstVersion?: number } = {}): Promise<KubeStage> {
  made ??= createAuthority({ commonName: 'cluster CA', days: 2, now: new Date() });
  const authority = await made;
  const { certPem, keyPem } = await authority.issue({ ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1, now: new Date() });
  const api = await startKubeApi({ certPem, keyPem, caPem: authority.certPem, firstVersion });
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-kube-'));
  const write = (name: string, contents: string): string => {
    const path = join(directory, name);
    writeFileSync(path, contents);
    return path;
  };
  const tokenFile = write('token', 'driver-token-1');
  const caFile = write('ca.crt', authority.certPem);
  api.knowsBearer('driver-token-1', DRIVER_USER);
  api.rbac.grant(DRIVER_USER, [{ rules: [...DRIVER_RULES, ...REVIEW_RULES, ...SLICE_RULES] }]);
  const clock = createClock();
  const open: (() => Promise<void>)[] = [];

  async function connect(on: Clock = clock, limits?: ClientLimits) {
    const access = { server: api.url, ca: inFile(caFile), token: inFile(tokenFile), client: undefined, serverName: undefined };
    const credentials = await openCredentials(access, { clock: on, onProblem: () => undefined });
    if (!credentials.ok) throw new Error(credentials.error);
    const client = createKubeClient(access, credentials.value, limits);
    const close = async (): Promise<void> => {
      credentials.value.close();
      await client.close();
    };
    open.push(close);
    return { client, credentials: credentials.value, close };
  }

  return {
    api,
    authority,
    directory,
    tokenFile,
    caFile,
    clock,
    connect,
    async close() {
      for (const each of open.reverse()) await each();
      await api.close();
      clock.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
