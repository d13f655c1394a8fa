import type { Scope } from '@sallyport/catalog';
import { type Failure, ok, type Result } from '@sallyport/model';
import { admitted } from '@sallyport/wire';

/** Workspaces that one request may name. */
const WORKSPACES_MAX = 10_000;

/** Which workspaces a request is about; all, if it names none. */
export function scopeAsked(workspaces: readonly string[]): Result<Scope, Failure> {
  if (workspaces.length === 0) return ok('all');
  const named = admitted((check) =>
    check.list('workspaces', workspaces, WORKSPACES_MAX, (name) => check.workspace('workspaces', name)),
  );
  return named.ok ? ok(new Set(named.value)) : named;
}
