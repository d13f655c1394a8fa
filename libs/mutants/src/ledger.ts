import { readFileSync, writeFileSync } from 'node:fs';

/** What killed each mutant when it was last written, by id: where to look first, and the proof that somebody has looked. */
export type Ledger = Readonly<Record<string, string>>;

const FILE = new URL('../killers.json', import.meta.url);

export const readLedger = (): Ledger => JSON.parse(readFileSync(FILE, 'utf8')) as Ledger;

export function writeLedger(ledger: Ledger): void {
  const sorted = Object.fromEntries(Object.entries(ledger).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
