import { Metadata, status } from '@grpc/grpc-js';
import { type Failure, failure, fenced } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { FENCED_BY_KEY, fromServiceError, internalError, STATUS_MESSAGE_LENGTH_MAX, STATUS_OF, toWireError } from './status.ts';

const rows: [refused: Failure, code: status, back: Failure['kind']][] = [
  [failure('malformed', 'm'), status.INVALID_ARGUMENT, 'malformed'],
  [failure('unauthenticated', 'm'), status.UNAUTHENTICATED, 'unauthenticated'],
  [failure('forbidden', 'm'), status.PERMISSION_DENIED, 'forbidden'],
  [failure('unknown', 'm'), status.NOT_FOUND, 'unknown'],
  [fenced('runtime', 'm'), status.FAILED_PRECONDITION, 'fenced'],
  [failure('conflict', 'm'), status.ABORTED, 'conflict'],
  [failure('cursor-lost', 'm'), status.OUT_OF_RANGE, 'cursor-lost'],
  [failure('lagging', 'm'), status.RESOURCE_EXHAUSTED, 'over-limit'],
  [failure('over-limit', 'm'), status.RESOURCE_EXHAUSTED, 'over-limit'],
  [failure('not-ready', 'm'), status.UNAVAILABLE, 'not-ready'],
  [failure('unsupported', 'm'), status.UNIMPLEMENTED, 'unsupported'],
];

describe('a failure', () => {
  test.each(rows)('$kind goes out as its status and comes back', (refused, code, back) => {
    const error = toWireError(refused);
    expect(error.code).toBe(code);
    expect(fromServiceError(error)).toMatchObject({ kind: back, message: 'm' });
  });

  test('every kind has a row here', () =>
    expect(new Set(rows.map(([{ kind }]) => kind))).toEqual(new Set(Object.keys(STATUS_OF))));

  test('carries what fenced the caller', () => {
    expect(fromServiceError(toWireError(fenced('credential', 'm')))).toEqual(fenced('credential', 'm'));
  });

  test('leaves out a clause that no header can hold', () => {
    expect(toWireError(fenced('a\r\nb', 'm')).metadata.get(FENCED_BY_KEY)).toEqual([]);
  });

  test('cuts a message that is too long', () => {
    expect(toWireError(failure('unknown', 'x'.repeat(STATUS_MESSAGE_LENGTH_MAX + 1))).details).toHaveLength(
      STATUS_MESSAGE_LENGTH_MAX,
    );
  });

  test('sends no lone surrogate, at which the encoding of a status throws', () => {
    expect(() => encodeURI(toWireError(failure('unknown', '\ud800')).details)).not.toThrow();
  });
});

test('an unexpected error tells the caller nothing', () => {
  expect(internalError()).toMatchObject({ code: status.INTERNAL, details: 'internal error' });
});

test.each([status.INTERNAL, status.UNKNOWN, status.DEADLINE_EXCEEDED, status.CANCELLED, status.DATA_LOSS, 99 as status])(
  'status %d is no refusal: nothing is known',
  (code) => expect(fromServiceError({ code, details: 'x', metadata: new Metadata() }).kind).toBe('not-ready'),
);

test('FAILED_PRECONDITION of somebody else names no clause', () => {
  expect(fromServiceError({ code: status.FAILED_PRECONDITION, details: 'x', metadata: new Metadata() })).toEqual(
    fenced('unspecified', 'x'),
  );
});
