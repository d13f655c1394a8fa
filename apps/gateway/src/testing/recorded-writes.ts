import { createScene, type Scene } from '@sallyport/authority/testing';
import type { StoreRevision } from '@sallyport/model';
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

/** `owner unmoved-since 8`: the key without the prefix that all share. */
export const compared = ({ guards }: Writing): readonly string[] =>
  guards.map((guard) => `${short(guard.key)} ${guard.is}${guard.is === 'absent' ? '' : ` ${guard.revision}`}`).sort();

export const short = (key: string): string => key.replace(/^\/sallyport\/v1\//, '');
