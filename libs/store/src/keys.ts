import {
  assert,
  type GatewayId,
  isId,
  type MemberId,
  nameProblem,
  type PoolId,
  type SandboxId,
  type SandboxName,
  type WorkspaceId,
} from '@sallyport/model';

/** Everything of ours; a gateway or a discovery replica follows this prefix whole. */
export const ROOT = '/sallyport/v1/';

/** What a key is about. Principals and discovery replicas are named by plain text. */
export type StoreKey =
  | { readonly kind: 'generation' }
  | { readonly kind: 'gateway'; readonly gatewayId: GatewayId }
  | { readonly kind: 'member'; readonly poolId: PoolId; readonly memberId: MemberId }
  | { readonly kind: 'sandbox'; readonly sandboxId: SandboxId }
  | { readonly kind: 'name'; readonly workspace: WorkspaceId; readonly sandbox: SandboxName }
  | { readonly kind: 'config'; readonly sandboxId: SandboxId }
  | { readonly kind: 'credential'; readonly sandboxId: SandboxId }
  | { readonly kind: 'owner'; readonly sandboxId: SandboxId }
  | { readonly kind: 'session'; readonly sandboxId: SandboxId; readonly memberId: MemberId }
  | { readonly kind: 'successor'; readonly sandboxId: SandboxId }
  | { readonly kind: 'installation'; readonly workspace: WorkspaceId; readonly sandboxId: SandboxId }
  | { readonly kind: 'renewal'; readonly gatewayId: GatewayId; readonly bucket: number }
  | { readonly kind: 'reader'; readonly discoveryId: string }
  | { readonly kind: 'grant'; readonly principal: string };

export type StoreKeyKind = StoreKey['kind'];

export const generationKey = `${ROOT}meta/generation`;
export const gatewayKey = (gatewayId: GatewayId): string => `${ROOT}gateway/${id(gatewayId)}`;
export const memberKey = (poolId: PoolId, memberId: MemberId): string => `${membersOf(poolId)}${id(memberId)}`;
export const sandboxKey = (sandboxId: SandboxId): string => `${ROOT}sandbox/${id(sandboxId)}`;
export const nameKey = (workspace: WorkspaceId, sandbox: SandboxName): string => `${namesIn(workspace)}${name(sandbox)}`;
export const configKey = (sandboxId: SandboxId): string => `${ROOT}config/${id(sandboxId)}`;
export const credentialKey = (sandboxId: SandboxId): string => `${ROOT}credential/${id(sandboxId)}`;
export const ownerKey = (sandboxId: SandboxId): string => `${ROOT}owner/${id(sandboxId)}`;
export const successorKey = (sandboxId: SandboxId): string => `${ROOT}successor/${id(sandboxId)}`;
export const sessionKey = (sandboxId: SandboxId, memberId: MemberId): string => `${sessionsOf(sandboxId)}${id(memberId)}`;
export const installationKey = (workspace: WorkspaceId, sandboxId: SandboxId): string =>
  `${installationsIn(workspace)}${id(sandboxId)}`;
export const renewalKey = (gatewayId: GatewayId, bucket: number): string => {
  assert(Number.isSafeInteger(bucket) && bucket >= 0, `${bucket} numbers a bucket`);
  return `${renewalsOf(gatewayId)}${bucket}`;
};
export const readerKey = (discoveryId: string): string => `${ROOT}reader/${id(discoveryId)}`;
/** Principals come from certificates and tokens: any text, such as `spiffe://…`, so it is percent-encoded. */
export const grantKey = (principal: string): string => {
  assert(
    principal.length > 0 && principal.length <= PRINCIPAL_LENGTH_MAX && principal.isWellFormed(),
    'principals are bounded text',
  );
  return `${ROOT}grant/${encodeURIComponent(principal)}`;
};

/** Prefixes for reading several records; each ends with a slash, so that no other id is caught by beginning alike. */
export const gateways = `${ROOT}gateway/`;
export const membersOf = (poolId: PoolId): string => `${ROOT}member/${id(poolId)}/`;
export const namesIn = (workspace: WorkspaceId): string => `${ROOT}name/${name(workspace)}/`;
export const sessionsOf = (sandboxId: SandboxId): string => `${ROOT}session/${id(sandboxId)}/`;
export const installationsIn = (workspace: WorkspaceId): string => `${ROOT}installation/${name(workspace)}/`;
export const renewalsOf = (gatewayId: GatewayId): string => `${ROOT}renewal/${id(gatewayId)}/`;

/** At worst each of its bytes takes three characters of the key, and a character has up to three bytes in UTF-8. */
export const PRINCIPAL_LENGTH_MAX = 100;

/** Undefined for keys that are not ours, or of a kind that this release does not know: a newer one may have written them. */
export function parseKey(key: string): StoreKey | undefined {
  if (!key.startsWith(ROOT)) return undefined;
  const [kind, first = '', second, ...more] = key.slice(ROOT.length).split('/');
  if (more.length > 0) return undefined;
  return second === undefined ? parseOne(kind ?? '', first) : parseTwo(kind ?? '', first, second);
}

function parseOne(kind: string, text: string): StoreKey | undefined {
  if (kind === 'grant') return parseGrant(text);
  if (kind === 'meta') return text === 'generation' ? { kind: 'generation' } : undefined;
  if (!isId(text)) return undefined;
  switch (kind) {
    case 'gateway':
      return { kind, gatewayId: text as GatewayId };
    case 'sandbox':
    case 'config':
    case 'credential':
    case 'owner':
    case 'successor':
      return { kind, sandboxId: text as SandboxId };
    case 'reader':
      return { kind, discoveryId: text };
    default:
      return undefined;
  }
}

function parseTwo(kind: string, first: string, second: string): StoreKey | undefined {
  switch (kind) {
    case 'member':
      return isId(first) && isId(second) ? { kind, poolId: first as PoolId, memberId: second as MemberId } : undefined;
    case 'session':
      return isId(first) && isId(second) ? { kind, sandboxId: first as SandboxId, memberId: second as MemberId } : undefined;
    case 'name':
      return isName(first) && isName(second)
        ? { kind, workspace: first as WorkspaceId, sandbox: second as SandboxName }
        : undefined;
    case 'installation':
      return isName(first) && isId(second)
        ? { kind, workspace: first as WorkspaceId, sandboxId: second as SandboxId }
        : undefined;
    case 'renewal':
      return isId(first) && /^(0|[1-9]\d{0,8})$/.test(second)
        ? { kind, gatewayId: first as GatewayId, bucket: Number(second) }
        : undefined;
    default:
      return undefined;
  }
}

function parseGrant(text: string): StoreKey | undefined {
  try {
    const principal = decodeURIComponent(text);
    // One principal has one key: other spellings of the same name are not ours.
    return principal !== '' && encodeURIComponent(principal) === text ? { kind: 'grant', principal } : undefined;
  } catch {
    return undefined;
  }
}

const isName = (text: string): boolean => nameProblem(text) === undefined;

/** Ids are checked where they come in; one that slipped through must not become part of another record's key. */
function id(text: string): string {
  assert(isId(text), `${JSON.stringify(text)} is an id`);
  return text;
}

function name(text: string): string {
  assert(isName(text), `${JSON.stringify(text)} is a name`);
  return text;
}
