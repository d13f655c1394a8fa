import type { KubeObject } from './objects.ts';

/** A compiled JSON schema of the Kubernetes API: it looks at each field that it knows, and at no other. */
export interface Validator {
  (data: unknown): boolean;
  readonly errors?:
    | readonly { readonly instancePath: string; readonly message?: string; readonly keyword: string; readonly params: unknown }[]
    | null;
}

/**
 * What is wrong with an object by its schema. An API server drops fields that it does not know, without a word: a probe that is
 * misspelt is no probe. A schema takes them too, so the data is watched while it is looked at, and what nobody asked for is unknown.
 */
export function problemsOf(validate: Validator, object: KubeObject): readonly string[] {
  const unasked = new Set<string>();
  const valid = validate(watched(object, '', unasked));
  const wrong = valid
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`);
  return [...wrong, ...[...unasked].map((path) => `${path}: unknown`)];
}

/** The same data; `unasked` holds the paths of all fields that nobody has read yet. */
function watched<T>(data: T, path: string, unasked: Set<string>): T {
  if (typeof data !== 'object' || data === null) return data;
  const seen = new Map<PropertyKey, unknown>();
  if (!Array.isArray(data)) for (const key of Object.keys(data)) unasked.add(`${path}/${key}`);
  return new Proxy(data, {
    get(target, key, receiver) {
      const value = Reflect.get(target, key, receiver) as unknown;
      if (typeof key === 'symbol') return value;
      unasked.delete(`${path}/${key}`);
      if (!seen.has(key)) seen.set(key, watched(value, `${path}/${key}`, unasked));
      return seen.get(key);
    },
  });
}
