import { CannotStart, type Log } from '@sallyport/process';
import { ISSUER, type SigningKeys } from '@sallyport/wire';
import type { Config } from './config.ts';
import { ownCredentials, type VerifyCredential } from './credentials.ts';
import { type GrantFile, openGrantFile } from './grant-file.ts';
import { eitherCredential, issuedCredentials } from './issued-credentials.ts';
import { createJwks } from './jwks.ts';

/** Whose tokens are taken: our own, and those of the issuer that is configured, if any. */
export function verifierOf({ jwt }: Pick<Config, 'jwt'>, keys: SigningKeys): VerifyCredential {
  const own = ownCredentials(keys);
  const { jwksFile, jwksUrl, issuer, audience, workspacesClaim, principalPrefix = '' } = jwt;
  // Our own name is not to be had by another's keys.
  if (issuer === undefined || issuer === ISSUER) return own;
  if (jwksFile === undefined && jwksUrl === undefined) return own;
  const source = jwksUrl === undefined ? { kind: 'file' as const, path: jwksFile ?? '' } : { kind: 'url' as const, url: jwksUrl };
  const jwks = createJwks(source, { now: () => performance.now() });
  return eitherCredential(own, issuedCredentials({ issuer, audience, workspacesClaim, principalPrefix, jwks }), issuer);
}

/** Grants of a file, where one is configured. */
export async function openGrants(config: Config, log: Log, onChange: () => void): Promise<GrantFile | undefined> {
  if (config.grantsDirectory === undefined) return undefined;
  const opened = await openGrantFile(config.grantsDirectory, {
    unixMs: Date.now,
    onChange: () => {
      log.info('grants of the file have changed');
      onChange();
    },
    onProblem: (problem) => log.error({ problem }, 'grants not taken: the old ones stay'),
  });
  if (!opened.ok) throw new CannotStart(`--grants-dir: ${opened.error}`);
  return opened.value;
}
