import type { ApiObject } from './resources.ts';
import { type Status, status } from './status.ts';

export type Matches = (object: ApiObject) => boolean;

/** Label and field selectors: equality, existence, and the fields that every kind has. */
export function selectorOf(query: URLSearchParams): Matches | Status {
  const labels = terms(query.get('labelSelector'));
  const fields = terms(query.get('fieldSelector'));
  for (const { name } of fields)
    if (name !== 'metadata.name' && name !== 'metadata.namespace')
      return status(400, 'BadRequest', `field label not supported: ${name}`);
  return ({ metadata }) =>
    labels.every(({ name, is, value }) => holds(metadata.labels?.[name], is, value)) &&
    fields.every(({ name, is, value }) => holds(name === 'metadata.name' ? metadata.name : metadata.namespace, is, value));
}

interface Term {
  readonly name: string;
  readonly is: 'equal' | 'unequal' | 'there' | 'absent';
  readonly value: string;
}

function terms(text: string | null): readonly Term[] {
  return (text ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, name = '', operator, value = ''] = /^([^=!]+)(!=|==?)(.*)$/.exec(part) ?? [];
      if (operator !== undefined) return { name, is: operator === '!=' ? 'unequal' : 'equal', value };
      return part.startsWith('!') ? { name: part.slice(1), is: 'absent', value: '' } : { name: part, is: 'there', value: '' };
    });
}

function holds(actual: string | undefined, is: Term['is'], value: string): boolean {
  if (is === 'equal') return actual === value;
  if (is === 'unequal') return actual !== value;
  return (actual !== undefined) === (is === 'there');
}
