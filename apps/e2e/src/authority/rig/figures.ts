import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../../../reports');

/** One thing that was measured, and what it must keep to. */
export interface Figure {
  readonly case: string;
  readonly what: string;
  readonly value: number | string;
  readonly unit: string;
  readonly bound: string;
}

/** Prints a figure and adds it to reports/reliability.jsonl, from which docs/reliability.md is made. */
export function record(figure: Figure): void {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(join(FOLDER, 'reliability.jsonl'), `${JSON.stringify(figure)}\n`);
  console.log(`${figure.case}: ${figure.what}: ${figure.value} ${figure.unit}${figure.bound === '' ? '' : ` (${figure.bound})`}`);
}

export const milliseconds = (name: string, what: string, value: number, bound = ''): void =>
  record({ case: name, what, value: Math.round(value), unit: 'ms', bound });
