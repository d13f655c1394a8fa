import type { Installation, Ownership, RenewalVector, SandboxRecord, SessionRecord } from '@sallyport/authority';
import type { Configuration, StoreRevision } from '@sallyport/model';
import {
  type Change,
  configKey,
  credentialKey,
  generationKey,
  grantKey,
  installationKey,
  memberKey,
  nameKey,
  ownerKey,
  renewalKey,
  type Store,
  sandboxKey,
  sessionKey,
} from '@sallyport/store';
import * as wire from '@sallyport/wire';

/** Names and ids are checked by the encoders' counterparts; in tests plain text will do. */
export const plain = (value: unknown): never => value as never;

/** Writes what a gateway would have written of one published sandbox. */
export function createPublisher(store: Store) {
  async function put(key: string, value: Uint8Array): Promise<StoreRevision> {
    const changes: Change[] = [{ kind: 'put', key, value }];
    const outcome = await store.commit({ guards: [], changes });
    if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    return outcome.revision;
  }

  return {
    put,
    generation: () => put(generationKey, wire.encodeGeneration(plain('gen'), 'op')),
    grant: (principal: string, workspaces: string[]) =>
      put(grantKey(principal), wire.encodeGrant({ workspaces: plain(workspaces), grantEpoch: 1n }, 'op')),
    owner: (sandbox: string, ownership: unknown) =>
      put(ownerKey(plain(sandbox)), wire.encodeOwnership(ownership as Ownership, 'op')),
    bumpCredential: (sandbox: string) => put(credentialKey(plain(sandbox)), wire.encodeCredential(plain(2n), 'op')),
    async withdraw(workspace: string, sandbox: string): Promise<void> {
      const changes: Change[] = [{ kind: 'delete', key: installationKey(plain(workspace), plain(sandbox)) }];
      await store.commit({ guards: [], changes });
    },
    renew(sandboxes: readonly string[], asOf: bigint, remainingMs = 15_000, bucket = 0): Promise<StoreRevision> {
      const renewals = sandboxes.map((name) => ({ sessionId: plain(`s-${name}`), reportSequence: 1, remainingMs }));
      const vector: RenewalVector = { gatewayEpoch: plain(9n), asOf: plain(asOf), renewals };
      return put(renewalKey(plain('gw1'), bucket), wire.encodeRenewals(vector, 'op'));
    },
    /** `sandboxId` is the sandbox's name: one service `web`, and no renewal but its own. */
    async publish(workspace: string, sandbox: string, asOf: bigint): Promise<void> {
      const id = plain(sandbox);
      const record: SandboxRecord = {
        workspace: plain(workspace),
        sandbox: id,
        mode: 'shared',
        poolId: plain('p1'),
        runtimeId: plain('r1'),
      };
      const session: SessionRecord = plain({
        gatewayId: 'gw1',
        gatewayEpoch: 9n,
        sessionId: `s-${sandbox}`,
        runtimeId: 'r1',
        credentialEpoch: 1n,
      });
      const host = plain(`${workspace}--${sandbox}--web.apps.test`);
      const configuration: Configuration = plain({
        sandboxId: id,
        workspace,
        sandbox,
        revision: 3n,
        hash: 'a'.repeat(64),
        services: [{ service: 'web', host, port: 80, policy: { host: { kind: 'public' }, origin: 'keep', cookies: 'isolate' } }],
      });
      const member = plain({
        supervisorUid: 'u1',
        ready: true,
        draining: false,
        appPort: 8443,
        capacity: 1,
        gatewayId: 'gw1',
        gatewayEpoch: 9n,
        joinId: 'j1',
      });
      await put(nameKey(plain(workspace), id), wire.encodeName(id, 'op'));
      const fence = {
        generation: plain('gen'),
        sandbox: await put(sandboxKey(id), wire.encodeSandbox(record, 'op')),
        config: await put(configKey(id), wire.encodeConfiguration(configuration, 'op')),
        credential: await put(credentialKey(id), wire.encodeCredential(plain(1n), 'op')),
        owner: await put(
          ownerKey(id),
          wire.encodeOwnership({ kind: 'owned', epoch: plain(5n), by: plain(`m-${sandbox}`) }, 'op'),
        ),
        session: await put(sessionKey(id, plain(`m-${sandbox}`)), wire.encodeSession(session, 'op')),
        memberCreated: await put(memberKey(plain('p1'), plain(`m-${sandbox}`)), wire.encodeMember(member, 'op')),
      };
      const installation: Installation = plain({
        sandbox,
        routes: [{ service: 'web', host, port: 80 }],
        endpoint: { address: '10.0.0.7', port: 8443, podUid: 'pod' },
        fence,
        memberId: `m-${sandbox}`,
        ownerEpoch: 5n,
        configRevision: 3n,
        renewal: { sessionId: `s-${sandbox}`, reportSequence: 1, remainingMs: 15_000, asOf, gatewayId: 'gw1', gatewayEpoch: 9n },
      });
      await put(installationKey(plain(workspace), id), wire.encodeInstallation(installation, 'op'));
    },
  };
}
