import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, ok, type Result } from '@sallyport/model';
import { hostIn } from '@sallyport/wire';
import type { Values } from './parse.ts';
import { type Addresses, findDevStack } from './ready-file.ts';
import { failed, misused, type Trouble } from './trouble.ts';

export type Server = 'gateway' | 'discovery';

/** Where a server is and how to be let in. */
export interface Target {
  readonly server: Server;
  /** Any of them will do; more than one only of a dev stack. */
  readonly addresses: Addresses;
  readonly caFile: string;
  readonly tokenFile: string;
  /** Its ready file, if it is a dev stack's. */
  readonly devStack: string | undefined;
}

/**
 * What was given beats the dev stack. An address that was given is never shown the dev stack's token: that would hand its
 * admin to whoever answers there.
 */
export function chooseTarget(server: Server, values: Values, cwd: string): Result<Target, Trouble> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
  const file = (name: string): string | undefined => {
    const path = text(name);
    return path === undefined ? undefined : resolve(cwd, path);
  };
  const [address, tokenFile, caFile] = [text(server), file('token-file'), file('ca-file')];
  if (address !== undefined) {
    if (hostIn(address) === undefined)
      return err(misused(`--${server}: ${JSON.stringify(address)} is not host:port, such as ${server}.example:7443`));
    const missing = [tokenFile === undefined ? '--token-file' : '', caFile === undefined ? '--ca-file' : ''].filter(Boolean);
    if (tokenFile === undefined || caFile === undefined)
      return err(misused(`--${server} needs ${missing.join(' and ')} as well`));
    return ok({ server, addresses: [address], tokenFile, caFile, devStack: undefined });
  }
  const stateDir = file('state-dir');
  const found = findDevStack(stateDir, cwd);
  if (!found.ok) return found;
  const stack = found.value;
  if (stack === undefined) {
    const where = stateDir === undefined ? 'here' : `with ${stateDir}`;
    return err(
      failed(`no dev stack runs ${where}: start one with npm start, or give --${server} HOST:PORT, --token-file and --ca-file`),
    );
  }
  return ok({
    server,
    addresses: server === 'gateway' ? stack.gateways : stack.discoveries,
    tokenFile: tokenFile ?? stack.adminTokenFile,
    caFile: caFile ?? stack.caFile,
    devStack: stack.path,
  });
}

/** A header takes visible ASCII only; anything else in the file is a wrong file. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

export function readToken(path: string): Result<string, Trouble> {
  let contents: string;
  try {
    contents = readFileSync(path, 'utf8').trim();
  } catch (error) {
    return err(
      failed(
        `the token cannot be read from ${path} (${(error as NodeJS.ErrnoException).code}): check the path and its mode, or give another with --token-file`,
      ),
    );
  }
  return TOKEN.test(contents) ? ok(contents) : err(failed(`${path} holds no token: give another with --token-file`));
}
