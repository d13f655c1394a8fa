import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@sallyport/files';
import { createSigningKey, type Operator, openSigningKeys, signOperatorToken } from '@sallyport/wire';

/** Of the admin token of a dev stack; it is written anew at each start. */
const TOKEN_LIFETIME_MS = 30 * 24 * 3_600_000;

/**
 * A signing key of this stack's own, its public half apart, an admin token under it, and one that reads, for edges; all gone when
 * the stack has ended.
 */
export async function makeTokens(directory: string): Promise<{
  readonly keys: string;
  readonly verifyKeys: string;
  readonly adminTokenFile: string;
  readonly edgeTokenFile: string;
}> {
  const keys = join(directory, 'signing-keys');
  const verifyKeys = join(directory, 'verify-keys');
  for (const folder of [keys, verifyKeys]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const { privateJwk, publicJwk } = await createSigningKey();
  await writeFileAtomic(join(keys, 'dev.jwk'), privateJwk, 0o600);
  await writeFileAtomic(join(verifyKeys, 'dev.jwk'), publicJwk, 0o644);
  const opened = await openSigningKeys(keys);
  if (!opened.ok) throw new Error(opened.error);
  const issue = async (name: string, operator: Operator): Promise<string> => {
    const token = await signOperatorToken(opened.value, operator, TOKEN_LIFETIME_MS);
    const file = join(directory, `${name}.token`);
    await writeFileAtomic(file, `${token}\n`, 0o600);
    return file;
  };
  const adminTokenFile = await issue('admin', { principal: 'dev-admin', role: { kind: 'admin' } });
  // A grant would have to name each workspace, and this stack's come as they are used.
  const edgeTokenFile = await issue('edge', { principal: 'dev-edge', role: { kind: 'viewer', workspaces: 'all' } });
  opened.value.close();
  return { keys, verifyKeys, adminTokenFile, edgeTokenFile };
}

export const readToken = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();
