/** A message in its parts, each of them as it will be written: a mutation changes a part and nothing checks it. */
export interface FieldDraft {
  name: string;
  /** The colon and what stands around it. */
  colon: string;
  value: string;
  eol: string;
}

export interface ChunkDraft {
  size: string;
  extension: string;
  eol: string;
  data: string;
  dataEol: string;
}

export interface BodyDraft {
  kind: 'none' | 'length' | 'chunked';
  data: string;
  chunks: ChunkDraft[];
  last: string;
  trailers: FieldDraft[];
  end: string;
}

export interface RequestDraft {
  before: string;
  method: string;
  blank: string;
  target: string;
  secondBlank: string;
  version: string;
  eol: string;
  fields: FieldDraft[];
  end: string;
  body: BodyDraft;
}

export const field = (name: string, value: string): FieldDraft => ({ name, colon: ': ', value, eol: '\r\n' });

export const NO_BODY = (): BodyDraft => ({ kind: 'none', data: '', chunks: [], last: '0\r\n', trailers: [], end: '\r\n' });

const writeFields = (fields: readonly FieldDraft[]): string =>
  fields.map(({ name, colon, value, eol }) => name + colon + value + eol).join('');

export function writeBody({ kind, data, chunks, last, trailers, end }: BodyDraft): string {
  if (kind === 'none') return '';
  if (kind === 'length') return data;
  const written = chunks.map((chunk) => chunk.size + chunk.extension + chunk.eol + chunk.data + chunk.dataEol);
  return written.join('') + last + writeFields(trailers) + end;
}

export function writeHead(draft: RequestDraft): string {
  const { before, method, blank, target, secondBlank, version, eol, fields, end } = draft;
  return before + method + blank + target + secondBlank + version + eol + writeFields(fields) + end;
}

export const writeRequest = (draft: RequestDraft): string => writeHead(draft) + writeBody(draft.body);

/** The first field of a name, in any case. */
export const fieldNamed = (fields: readonly FieldDraft[], name: string): FieldDraft | undefined =>
  fields.find((each) => each.name.toLowerCase() === name.toLowerCase());

export function chunkOf(data: string): ChunkDraft {
  return { size: data.length.toString(16), extension: '', eol: '\r\n', data, dataEol: '\r\n' };
}
