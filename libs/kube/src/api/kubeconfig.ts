import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, isAbsolute, join } from 'node:path';
import { err, ok, type Result } from '@sallyport/model';
import { parse } from 'yaml';
import { type Access, type Given, inFile, inline } from './access.ts';
import { type Json, listOf, objectOf, textOf } from './objects.ts';

/** The error is one line for people, which says how to mend it. */
export async function readKubeconfig(path: string, context?: string): Promise<Result<Access, string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  const access = parseKubeconfig(text, { directory: dirname(path), context });
  return access.ok ? access : err(`${path}: ${access.error}`);
}

export interface KubeconfigOptions {
  /** What relative paths start from. */
  readonly directory: string;
  /** Instead of the current context. */
  readonly context?: string | undefined;
}

export function parseKubeconfig(text: string, { directory, context }: KubeconfigOptions): Result<Access, string> {
  let root: Json;
  try {
    root = objectOf(parse(text, { maxAliasCount: 0 }));
  } catch (error) {
    return err(`it is not YAML: ${String((error as Error).message).split('\n')[0]}`);
  }
  const contextName = context ?? textOf(root['current-context']);
  if (contextName === '') return err(`it names no current-context: name one of ${contextsOf(root)}`);
  const chosen = named(root.contexts, contextName, 'context');
  if (chosen === undefined) return err(`it has no context ${quote(contextName)}, but ${contextsOf(root)}`);
  const cluster = named(root.clusters, textOf(chosen.cluster), 'cluster');
  if (cluster === undefined) return err(`context ${quote(contextName)} names a cluster that is not there`);
  const user = named(root.users, textOf(chosen.user), 'user');
  if (user === undefined) return err(`context ${quote(contextName)} names a user that is not there`);

  const refused = refusal(cluster, user);
  if (refused !== undefined) return err(refused);
  const server = serverOf(textOf(cluster.server));
  if (!server.ok) return server;
  const at = (field: string, from: Json): Result<Given | undefined, string> => given(field, from, directory);
  const ca = at('certificate-authority', cluster);
  const cert = at('client-certificate', user);
  const key = at('client-key', user);
  for (const part of [ca, cert, key]) if (!part.ok) return part;
  if (!ca.ok || !cert.ok || !key.ok) return err('');
  if ((cert.value === undefined) !== (key.value === undefined)) return err('client-certificate and client-key go together');
  const token = tokenOf(user, directory);
  if (token === undefined && cert.value === undefined) return err('the user has neither a token nor a client certificate');
  return ok({
    server: server.value,
    ca: ca.value,
    token,
    client: cert.value === undefined || key.value === undefined ? undefined : { cert: cert.value, key: key.value },
    serverName: textOf(cluster['tls-server-name']) || undefined,
  });
}

const CONTEXTS_SHOWN_MAX = 8;

function contextsOf(root: Json): string {
  const names = listOf(root.contexts).map((each) => textOf(objectOf(each).name));
  const more = names.length > CONTEXTS_SHOWN_MAX ? ', …' : '';
  return names.length === 0 ? 'none' : names.slice(0, CONTEXTS_SHOWN_MAX).map(quote).join(', ') + more;
}

function named(list: unknown, name: string, what: 'context' | 'cluster' | 'user'): Json | undefined {
  const entry = listOf(list)
    .map(objectOf)
    .find((each) => each.name === name);
  return entry === undefined ? undefined : objectOf(entry[what]);
}

/** What we leave out on purpose: a program of the user's choice, a way around the check of the server, and other identities. */
function refusal(cluster: Json, user: Json): string | undefined {
  if (user.exec !== undefined)
    return 'exec plugins are not run (users.exec): give a token file or a client certificate, such as of a service account';
  if (user['auth-provider'] !== undefined) return 'auth-provider is not supported: give a token file or a client certificate';
  if (user.username !== undefined || user.password !== undefined)
    return 'passwords are not supported: give a token file or a client certificate';
  if (user.as !== undefined) return 'impersonation (users.as) is not supported: give that identity its own credential';
  if (cluster['insecure-skip-tls-verify'] === true)
    return 'insecure-skip-tls-verify is not supported: give certificate-authority or certificate-authority-data';
  if (cluster['proxy-url'] !== undefined) return 'proxy-url is not supported';
  return undefined;
}

function serverOf(text: string): Result<string, string> {
  if (!URL.canParse(text)) return err(`server ${quote(text)} is not a URL`);
  const url = new URL(text);
  const { hostname } = url;
  const loopback = hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
  // `kubectl proxy` on this machine speaks plain HTTP; over a network it would carry the token in the clear.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) return err(`server ${quote(text)} is not https`);
  return ok(url.href.replace(/\/+$/, ''));
}

/** Inline data wins, as with kubectl. */
function given(field: string, from: Json, directory: string): Result<Given | undefined, string> {
  const data = textOf(from[`${field}-data`]);
  if (data !== '') {
    const value = Buffer.from(data, 'base64').toString('utf8');
    return value.includes('-----BEGIN') ? ok(inline(value)) : err(`${field}-data is not PEM in base64`);
  }
  const path = textOf(from[field]);
  return ok(path === '' ? undefined : inFile(isAbsolute(path) ? path : join(directory, path)));
}

function tokenOf(user: Json, directory: string): Given | undefined {
  const path = textOf(user.tokenFile);
  if (path !== '') return inFile(isAbsolute(path) ? path : join(directory, path));
  const token = textOf(user.token);
  return token === '' ? undefined : inline(token);
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 120));
