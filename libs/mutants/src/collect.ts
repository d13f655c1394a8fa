import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, type Change, locate, type Mutant } from './mutant.ts';
import { PLACES } from './places.ts';
import { ROOT } from './root.ts';
import { rows } from './rows/index.ts';
import type { Row } from './rows/row.ts';
import { guardsOf } from './scan/guards.ts';

export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Every mutant that there is: one for each guard that the code has, and the rows written by hand. Throws on a stale row. */
export function collectMutants(read: (file: string) => string = sourceOf): readonly Mutant[] {
  const guards = PLACES.flatMap(({ file, breadth }) => guardsOf(file, read(file), breadth));
  return [
    ...guards.map(
      ({ id, ...edit }): Mutant => ({
        id,
        kind: 'guard',
        removes: `${edit.was.replaceAll(/\s+/g, ' ')} → ${edit.becomes}`,
        edits: [edit],
        traces: [],
      }),
    ),
    ...rows.map((row) => fromRow(row, read)),
  ];
}

function fromRow({ id, kind, removes, traces = [], changes }: Row, read: (file: string) => string): Mutant {
  const edits = changes.map((change: Change) => locate(read(change.file), change));
  // Edits that overlap would be found stale only when they are applied, in the middle of a run.
  for (const file of new Set(edits.map((edit) => edit.file)))
    applyEdits(
      read(file),
      edits.filter((edit) => edit.file === file),
    );
  return { id, kind, removes, edits, traces };
}
