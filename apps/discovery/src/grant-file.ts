import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '@sallyport/catalog';
import { err, ok, parseWorkspaceId, type Result, type WorkspaceId } from '@sallyport/model';
import { isPrincipal } from '@sallyport/wire';

/**
 * Grants from a projected directory: `grants.json` in it, as a ConfigMap or Secret brings it, swapped as a whole by renaming
 * `..data`. It is looked at by reading: a rename is not always told, and reading sees the old file or the new one, never both.
 */
export interface GrantFile {
  /** Undefined: the file says nothing of this principal. */
  of(principal: string): Scope | undefined;
  problem(): string | undefined;
  close(): void;
}

export interface GrantFileOptions {
  /** Wall clock, milliseconds since 1970: the file names its end by it. */
  readonly unixMs: () => number;
  readonly onChange: () => void;
  readonly onProblem: (problem: string) => void;
  readonly refreshMs?: number;
}

/** A narrowed grant must reach open streams within a second. */
export const GRANT_FILE_REFRESH_MS = 400;
const BYTES_MAX = 4_194_304;
const WORKSPACES_MAX = 10_000;
const PRINCIPALS_MAX = 10_000;

export interface GrantSet {
  /** Only rises: an older file that comes back is not taken. */
  readonly version: number;
  /** Afterwards it grants nothing. */
  readonly notAfterUnixMs: number;
  readonly grants: ReadonlyMap<string, Scope>;
}

/** Fails when there is no file that can be read; later on, one that cannot leaves the old one in use, until its own end. */
export async function openGrantFile(directory: string, options: GrantFileOptions): Promise<Result<GrantFile, string>> {
  const { unixMs, onChange, onProblem, refreshMs = GRANT_FILE_REFRESH_MS } = options;
  const path = join(directory, 'grants.json');
  const first = await read(path);
  if (!first.ok) return first;
  const parsed = readGrantSet(first.value);
  if (!parsed.ok) return err(`${path}: ${parsed.error}`);
  let text = first.value;
  let present = parsed.value;
  let problem: string | undefined;
  let hasEnded = unixMs() >= present.notAfterUnixMs;
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const next = await read(path);
    looking = false;
    const ended = unixMs() >= present.notAfterUnixMs;
    if (next.ok && next.value !== text) {
      text = next.value;
      take(readGrantSet(text));
    } else if (!next.ok) note(next.error);
    else if (ended && !hasEnded) {
      hasEnded = true;
      onChange();
    }
  }

  function take(next: Result<GrantSet, string>): void {
    if (!next.ok) return note(`${path}: ${next.error}`);
    if (next.value.version < present.version)
      return note(`${path}: version ${next.value.version} comes after ${present.version}: it is not taken`);
    note(undefined);
    present = next.value;
    hasEnded = unixMs() >= present.notAfterUnixMs;
    onChange();
  }

  function note(what: string | undefined): void {
    if (what !== undefined && what !== problem) onProblem(what);
    problem = what;
  }

  const timer = setInterval(() => void look(), refreshMs).unref();
  return ok({
    of(principal) {
      const granted = present.grants.get(principal);
      return granted !== undefined && unixMs() >= present.notAfterUnixMs ? NOTHING : granted;
    },
    problem: () => problem,
    close: () => clearInterval(timer),
  });
}

const NOTHING: Scope = new Set();

async function read(path: string): Promise<Result<string, string>> {
  try {
    const text = await readFile(path, 'utf8');
    return text.length > BYTES_MAX ? err(`${path} has more than ${BYTES_MAX} bytes`) : ok(text);
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

/** `{"version": 7, "notAfter": "2030-01-01T00:00:00Z", "grants": {"edge-1": ["team"]}}` */
export function readGrantSet(text: string): Result<GrantSet, string> {
  let value: { readonly version?: unknown; readonly notAfter?: unknown; readonly grants?: unknown };
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return err('it is no JSON');
  }
  const { version, notAfter, grants } = value ?? {};
  if (!Number.isSafeInteger(version) || (version as number) < 1) return err('version is not a whole number above 0');
  const notAfterUnixMs = typeof notAfter === 'string' ? Date.parse(notAfter) : Number.NaN;
  if (Number.isNaN(notAfterUnixMs)) return err('notAfter is not a time such as 2030-01-01T00:00:00Z');
  if (typeof grants !== 'object' || grants === null || Array.isArray(grants)) return err('grants is not an object');
  const entries = Object.entries(grants);
  if (entries.length > PRINCIPALS_MAX) return err(`grants names more than ${PRINCIPALS_MAX} principals`);
  const made = new Map<string, Scope>();
  for (const [principal, workspaces] of entries) {
    const scope = isPrincipal(principal) ? scopeIn(workspaces) : undefined;
    if (scope === undefined) return err(`the grant of ${JSON.stringify(principal.slice(0, 100))} is no list of workspaces`);
    made.set(principal, scope);
  }
  return ok({ version: version as number, notAfterUnixMs, grants: made });
}

function scopeIn(workspaces: unknown): Scope | undefined {
  if (!Array.isArray(workspaces) || workspaces.length > WORKSPACES_MAX) return undefined;
  const made = new Set<WorkspaceId>();
  for (const name of workspaces) {
    const workspace = parseWorkspaceId(String(name));
    if (!workspace.ok) return undefined;
    made.add(workspace.value);
  }
  return made;
}
