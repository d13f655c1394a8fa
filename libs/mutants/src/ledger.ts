import { readFileSync, writeFileSync } from 'node:fs';
import { type Killer, parseKiller } from './outcome.ts';

/** What killed each mutant when it was last written, by id: where to look first, and the proof that somebody has looked. */
export type Ledger = Readonly<Record<string, string>>;

const FILE = new URL('../killers.json', import.meta.url);

/** What a line says of one that nothing has killed so far. */
export const UNKILLED = 'not killed yet';
/** And of one that is known, and waits for a whole run. */
export const UNJUDGED = 'not judged yet';

export function killerOf(ledger: Ledger, id: string): Killer | undefined {
  const line = ledger[id];
  return line === undefined || line === UNKILLED || line === UNJUDGED ? undefined : parseKiller(line);
}

export const readLedger = (): Ledger => JSON.parse(readFileSync(FILE, 'utf8')) as Ledger;

export function writeLedger(ledger: Ledger): void {
  const sorted = Object.fromEntries(Object.entries(ledger).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
