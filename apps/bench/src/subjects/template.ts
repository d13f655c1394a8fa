import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './subject.ts';

const PEERS = new URL('../peers/', import.meta.url);

/** Writes a configuration of `peers/` with its `@PLACES@` filled in; answers where. */
export function fillIn(name: string, place: Place): string {
  const text = readFileSync(new URL(name, PEERS), 'utf8');
  const file = join(place.folder, name);
  writeFileSync(file, fill(text, place));
  return file;
}

export function fill(text: string, place: Place): string {
  return text.replace(/@(\w+)@/g, (_all, key: string) => {
    if (!Object.hasOwn(place, key)) throw new Error(`a configuration names @${key}@`);
    return String(place[key as keyof Place]);
  });
}
