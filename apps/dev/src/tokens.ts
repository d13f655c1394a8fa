import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@sallyport/process';
import { createSigningKey, openSigningKeys, signOperatorToken } from '@sallyport/wire';

/** Of the admin token of a dev stack; it is written anew at each start. */
const TOKEN_LIFETIME_MS = 30 * 24 * 3_600_000;

/** A signing key of this stack's own, its public half apart, and an admin token under it; all gone when the stack has ended. */
export async function makeTokens(
  directory: string,
): Promise<{ readonly keys: string; readonly verifyKeys: string; readonly adminTokenFile: string }> {
  const keys = join(directory, 'signing-keys');
  const verifyKeys = join(directory, 'verify-keys');
  for (const folder of [keys, verifyKeys]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const { privateJwk, publicJwk } = await createSigningKey();
  await writeFileAtomic(join(keys, 'dev.jwk'), privateJwk, 0o600);
  await writeFileAtomic(join(verifyKeys, 'dev.jwk'), publicJwk, 0o644);
  const opened = await openSigningKeys(keys);
  if (!opened.ok) throw new Error(opened.error);
  const token = await signOperatorToken(opened.value, { principal: 'dev-admin', role: { kind: 'admin' } }, TOKEN_LIFETIME_MS);
  opened.value.close();
  const adminTokenFile = join(directory, 'admin.token');
  await writeFileAtomic(adminTokenFile, `${token}\n`, 0o600);
  return { keys, verifyKeys, adminTokenFile };
}

export const readToken = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();
