import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdits, type Edit } from '../mutant.ts';
import { ROOT } from '../root.ts';

/** From now on the files of these edits are loaded with them. What is loaded already stays: call it first. */
export function loadMutated(edits: readonly Edit[]): void {
  const byUrl = Map.groupBy(edits, ({ file }) => pathToFileURL(join(ROOT, file)).href);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const mine = byUrl.get(url);
      if (mine === undefined || loaded.source === undefined || loaded.source === null) return loaded;
      return { ...loaded, source: applyEdits(text(loaded.source), mine) };
    },
  });
}

const text = (source: string | ArrayBuffer | NodeJS.TypedArray): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source);
