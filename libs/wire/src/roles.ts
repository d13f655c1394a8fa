import type { WorkspaceId } from '@sallyport/model';
import type { GatewayServiceService } from './gen/sallyport/gateway/v1/gateway.ts';

/** Who operates: a name for the audit, and what it may do. */
export interface Operator {
  readonly principal: string;
  readonly role: Role;
}

export type Workspaces = 'all' | readonly WorkspaceId[];

export type Role =
  | { readonly kind: 'admin' }
  /** Reads and changes what is in the workspaces that it names. */
  | { readonly kind: 'editor'; readonly workspaces: readonly WorkspaceId[] }
  /** Reads. */
  | { readonly kind: 'viewer'; readonly workspaces: Workspaces }
  /** Reads discovery, and calls no gateway. */
  | { readonly kind: 'reader'; readonly workspaces: Workspaces };

export type GatewayMethod = keyof GatewayServiceService;

type Access = 'read' | 'change' | 'installation' | 'admin';

/** `installation`: about the installation as a whole, for whoever may read anything. The compiler counts the rows. */
const ACCESS: Record<GatewayMethod, Access> = {
  registerSandbox: 'change',
  listSandboxes: 'read',
  deleteSandbox: 'change',
  exposeService: 'change',
  listServices: 'read',
  getService: 'read',
  deleteService: 'change',
  bumpCredential: 'change',
  getStatus: 'installation',
  checkInstallation: 'installation',
  // Who may see what is not for those whose own sight it limits.
  setGrant: 'admin',
  listGrants: 'admin',
  beginGeneration: 'admin',
};

/**
 * Whether a role may call a method about a workspace. Without a workspace a list is of all that the caller may see: the
 * handler leaves out the rest by `maySee`; a change without a workspace is nobody's but the admin's.
 */
export function mayCall(role: Role, method: GatewayMethod, workspace: WorkspaceId | undefined): boolean {
  if (role.kind === 'admin') return true;
  if (role.kind === 'reader') return false;
  switch (ACCESS[method]) {
    case 'installation':
      return true;
    case 'admin':
      return false;
    case 'read':
      return workspace === undefined || maySee(role, workspace);
    case 'change':
      return role.kind === 'editor' && workspace !== undefined && maySee(role, workspace);
  }
}

export const maySee = (role: Role, workspace: WorkspaceId): boolean =>
  role.kind === 'admin' || role.workspaces === 'all' || role.workspaces.includes(workspace);
