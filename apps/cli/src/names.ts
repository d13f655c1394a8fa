import {
  err,
  type Host,
  isPort,
  normaliseHost,
  ok,
  parseServiceRef,
  parseWorkspaceId,
  type Result,
  type SandboxName,
  type ServiceRef,
  type WorkspaceId,
} from '@sallyport/model';
import { misused, type Trouble } from './trouble.ts';

/** `team/demo/web`, or `team/demo` for the unnamed service. */
export function readServiceName(text: string): Result<ServiceRef, Trouble> {
  const ref = parseServiceRef(text);
  return ref.ok ? ref : err(misused(ref.error));
}

export interface SandboxRef {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
}

/** `team/demo`. */
export function readSandboxName(text: string): Result<SandboxRef, Trouble> {
  const ref = readServiceName(text);
  if (!ref.ok) return ref;
  if (text.split('/').length !== 2) return err(misused(`${JSON.stringify(text)} is a service; a sandbox is workspace/sandbox`));
  return ok({ workspace: ref.value.workspace, sandbox: ref.value.sandbox });
}

/** Which sandboxes: all, those of `team`, or `team/demo` alone. Empty text is all. */
export function readScope(text: string): Result<{ readonly workspace: string; readonly sandbox: string }, Trouble> {
  if (text === '') return ok({ workspace: '', sandbox: '' });
  if (text.includes('/')) return readSandboxName(text);
  const workspace = parseWorkspaceId(text);
  return workspace.ok ? ok({ workspace: workspace.value, sandbox: '' }) : err(misused(workspace.error));
}

/** `team/demo/web=3000`, or the name and the port apart. */
export function readServiceAndPort(
  text: string,
  portOption: string | undefined,
): Result<{ readonly ref: ServiceRef; readonly port: number }, Trouble> {
  const [name = '', portText, ...more] = text.split('=');
  if (more.length > 0)
    return err(misused(`${JSON.stringify(text)} has too many "=": the form is workspace/sandbox/service=port`));
  const ref = readServiceName(name);
  if (!ref.ok) return ref;
  if (portText !== undefined && portOption !== undefined)
    return err(misused(`the port is given twice, in ${JSON.stringify(text)} and as --port: give it once`));
  const given = portText ?? portOption;
  if (given === undefined) return err(misused(`the port is missing: write ${text}=3000, or give --port 3000`));
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  return isPort(port)
    ? ok({ ref: ref.value, port })
    : err(misused(`${JSON.stringify(given)} is not a port: a number from 1 to 65535`));
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Milliseconds, written with a unit. */
export function readDuration(option: string, text: string): Result<number, Trouble> {
  const [, count, unit] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? [];
  const factor = UNITS[unit ?? ''];
  return count === undefined || factor === undefined
    ? err(misused(`--${option}: ${JSON.stringify(text)} is not a duration: write 500ms, 10s or 2m`))
    : ok(Number(count) * factor);
}

/** Names of workspaces alone. */
export function readWorkspaces(texts: readonly string[]): Result<readonly WorkspaceId[], Trouble> {
  const workspaces: WorkspaceId[] = [];
  for (const text of texts) {
    const workspace = parseWorkspaceId(text);
    if (!workspace.ok) return err(misused(workspace.error));
    workspaces.push(workspace.value);
  }
  return ok(workspaces);
}

/** A host, or the URL of one as it is copied from a browser. */
export function readHost(text: string): Result<Host, Trouble> {
  if (!text.includes('://') && parseServiceRef(text).ok)
    return err(misused(`${JSON.stringify(text)} is the name of a service; its host is in: sallyport service get ${text}`));
  const url = text.includes('://') ? URL.parse(text) : URL.parse(`https://${text}`);
  if (url === null || url.hostname === '') return err(misused(`${JSON.stringify(text)} is not a host, nor a URL of one`));
  return ok(normaliseHost(url.hostname));
}
