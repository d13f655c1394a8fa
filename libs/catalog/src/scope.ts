import type { WorkspaceId } from '@sallyport/model';

export type Sees = (workspace: WorkspaceId) => boolean;

/** What one reader may see, as a value: so that two of them can be compared, and what is between them be told. */
export type Scope = 'all' | ReadonlySet<WorkspaceId>;

export const inScope = (scope: Scope, workspace: WorkspaceId): boolean => scope === 'all' || scope.has(workspace);

export const isEmptyScope = (scope: Scope): boolean => scope !== 'all' && scope.size === 0;

/** What both see. */
export function intersect(a: Scope, b: Scope): Scope {
  if (a === 'all') return b;
  return b === 'all' ? a : new Set([...a].filter((workspace) => b.has(workspace)));
}

/** Whether something that `before` sees is not seen by `after`. */
export const isNarrowed = (before: Scope, after: Scope): boolean =>
  after !== 'all' && (before === 'all' || [...before].some((workspace) => !after.has(workspace)));

/** One text for each scope, for digests. */
export const scopeText = (scope: Scope): string => (scope === 'all' ? '*' : [...scope].sort().join(','));
