/** Reading of what the API server sends: what is not there, or not of its type, is absent. */
export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : NOTHING;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Of a map of texts those that are asked for, without the prefix that they have there; `shorten` sees each. */
export function textsOf(
  value: unknown,
  {
    prefix,
    names,
    shorten,
  }: { readonly prefix: string; readonly names: readonly string[]; readonly shorten: (text: string) => string },
): Readonly<Record<string, string>> {
  const given = objectOf(value);
  const found: Record<string, string> = {};
  for (const name of names) {
    const text = given[`${prefix}${name}`];
    if (typeof text === 'string') found[name] = shorten(text);
  }
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
