import type { World } from '@sallyport/authority';
import { err, type Failure, failure, ok, type Result, type WorkspaceId } from '@sallyport/model';
import { type Caller, maySee, type Operator, type SigningKeys, verifyOperatorToken } from '@sallyport/wire';

/** What one caller may see, now: to be asked anew for each answer, since grants change. */
export type Sees = (workspace: WorkspaceId) => boolean;

export interface Readers {
  /** `unauthenticated`: no token, or none that holds. `forbidden`: it may see no workspace. */
  admit(caller: Caller): Promise<Result<Sees, Failure>>;
}

export function createReaders(keys: SigningKeys, world: World): Readers {
  return {
    async admit({ bearer }) {
      if (bearer === undefined) return err(failure('unauthenticated', 'a bearer token is required'));
      const verified = await verifyOperatorToken(keys, bearer, 'discovery');
      if (!verified.ok) return verified;
      const operator = verified.value;
      if (operator.role.kind === 'reader' && grantOf(world, operator).length === 0) {
        return err(failure('forbidden', `${operator.principal} has no grant for any workspace`));
      }
      return ok((workspace) => sees(world, operator, workspace));
    },
  };
}

/** A reader sees what its token *and* its grant name; operators see what their role does. */
const sees = (world: World, operator: Operator, workspace: WorkspaceId): boolean =>
  maySee(operator.role, workspace) && (operator.role.kind !== 'reader' || grantOf(world, operator).includes(workspace));

const grantOf = (world: World, { principal }: Operator): readonly WorkspaceId[] =>
  world.grants.get(principal)?.value.workspaces ?? [];
