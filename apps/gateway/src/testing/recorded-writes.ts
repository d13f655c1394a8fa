import { createScene, gateway, type Scene } from '@sallyport/authority/testing';
import type { GatewayEpoch, StoreRevision } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import type { Membership } from '../membership.ts';
import type { Writer, Writing, Written } from '../writer.ts';

/** A writer that keeps what it was asked to write, and answers each time with `outcome`. */
export function recordWrites() {
  const writings: Writing[] = [];
  const stage: { readonly scene: Scene; readonly writer: Writer; readonly writings: readonly Writing[]; outcome: Written } = {
    scene: createScene(),
    writings,
    outcome: { kind: 'committed', revision: 100n as StoreRevision },
    writer: {
      write(writing) {
        writings.push(writing);
        return Promise.resolve(stage.outcome);
      },
    },
  };
  return stage;
}

/** What everything is given that writes for gateway g0, where it holds authority or does not. */
export function writesFor({ scene, writer }: ReturnType<typeof recordWrites>, authority?: false) {
  const membership: Partial<Membership> = {
    current: () => (authority === false ? undefined : { gatewayId: gateway('g0'), epoch: 1n as GatewayEpoch }),
  };
  return {
    world: scene.world,
    reached: () => Promise.resolve(),
    writer,
    membership: membership as Membership,
    log: createLog({ level: 'silent' }),
  };
}

/** `owner unmoved-since 8`: the key without the prefix that all share. */
export const compared = ({ guards }: Writing): readonly string[] =>
  guards.map((guard) => `${short(guard.key)} ${guard.is}${guard.is === 'absent' ? '' : ` ${guard.revision}`}`).sort();

export const short = (key: string): string => key.replace(/^\/sallyport\/v1\//, '');
