/** Reading of what the API server sends: what is not there, or not of its type, is absent. */
export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : NOTHING;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** The entries of a map of texts whose names begin with `prefix`, which is cut off. */
export function textsUnder(value: unknown, prefix: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, text] of Object.entries(objectOf(value)))
    if (name.startsWith(prefix) && typeof text === 'string') found[name.slice(prefix.length)] = text;
  return found;
}

export interface Meta {
  readonly uid: string;
  readonly version: string;
  readonly namespace: string;
  readonly name: string;
}

/** Undefined: no object that could be followed. */
export function metaOf(value: unknown): Meta | undefined {
  const { uid, resourceVersion, namespace, name } = objectOf(objectOf(value).metadata);
  if (textOf(uid) === '' || textOf(resourceVersion) === '' || textOf(name) === '') return undefined;
  return { uid: textOf(uid), version: textOf(resourceVersion), namespace: textOf(namespace), name: textOf(name) };
}
