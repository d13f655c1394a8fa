import type { World } from '@sallyport/authority';
import { intersect, isEmptyScope, type Scope } from '@sallyport/catalog';
import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import type { Credential, VerifyCredential } from './credentials.ts';

/** Whoever has shown a credential that holds. */
export interface Reader {
  readonly principal: string;
  /** What it may see, now: to be asked anew for each answer, since grants change. */
  scope(): Scope;
  /** Wall clock, milliseconds since 1970. */
  readonly expiresAtUnixMs: number;
  /** Whether it reads for people: only then it may ask what others see. */
  readonly isOperator: boolean;
}

export interface Readers {
  /** `unauthenticated`: no credential, or none that holds. `forbidden`: it may see no workspace. */
  admit(bearer: string | undefined): Promise<Result<Reader, Failure>>;
  /** What a principal is granted. Undefined: nothing, ever. */
  grantOf(principal: string): Scope | undefined;
}

export interface ReadersOptions {
  readonly world: World;
  readonly verify: VerifyCredential;
  /** Grants from files; they count beside those of the store. */
  readonly fileGrant: (principal: string) => Scope | undefined;
}

/** Who must look again at what it may see. */
export interface GrantWatchers {
  add(look: () => void): () => void;
  tell(): void;
}

export function createGrantWatchers(): GrantWatchers {
  const looks = new Set<() => void>();
  return {
    add(look) {
      looks.add(look);
      return () => void looks.delete(look);
    },
    tell() {
      for (const look of [...looks]) look();
    },
  };
}

const NOTHING: Scope = new Set();

export function createReaders({ world, verify, fileGrant }: ReadersOptions): Readers {
  /** A file's grant beats the store's for its principal: it is what the operator of this replica says. */
  function grantOf(principal: string): Scope | undefined {
    const inFile = fileGrant(principal);
    if (inFile !== undefined) return inFile;
    const held = world.grants.get(principal);
    return held === undefined ? undefined : setOf(held.value.workspaces);
  }

  function scopeOf(credential: Credential): Scope {
    if (!credential.needsGrant) return credential.workspaces;
    return intersect(credential.workspaces, grantOf(credential.principal) ?? NOTHING);
  }

  return {
    grantOf,
    async admit(bearer) {
      if (bearer === undefined) return err(failure('unauthenticated', 'a bearer token is required'));
      const verified = await verify(bearer);
      if (!verified.ok) return verified;
      const { principal, needsGrant, expiresAtUnixMs } = verified.value;
      if (needsGrant && isEmptyScope(grantOf(principal) ?? NOTHING))
        return err(failure('forbidden', `${principal} has no grant for any workspace`));
      return ok({ principal, expiresAtUnixMs, isOperator: !needsGrant, scope: () => scopeOf(verified.value) });
    },
  };
}

/** One object for one record of the store: digests of scopes are kept by it. */
const sets = new WeakMap<object, Scope>();
function setOf(workspaces: readonly Parameters<Exclude<Scope, 'all'>['has']>[0][]): Scope {
  const known = sets.get(workspaces);
  if (known !== undefined) return known;
  const made = new Set(workspaces);
  sets.set(workspaces, made);
  return made;
}
