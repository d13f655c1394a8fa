import type { SandboxName, ServiceName, WorkspaceId } from './ids.ts';
import { err, ok, type Result } from './result.ts';

/** Names become one DNS label together, joined by `--`; so none may hold `--` itself, or two names would share a host. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** RFC 1035 section 2.3.4. */
export const LABEL_LENGTH_MAX = 63;
/** RFC 1035 section 2.3.4, as text without the trailing dot. */
export const HOST_LENGTH_MAX = 253;

/** Which service of which sandbox, by names. `service` is empty for the unnamed one. */
export interface ServiceRef {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly service: ServiceName;
}

/** Why a name was refused, as one sentence for people. */
export type NameProblem = string;

export function nameProblem(text: string): NameProblem | undefined {
  if (text.length === 0) return 'it is empty';
  if (text.length > LABEL_LENGTH_MAX) return `it is longer than ${LABEL_LENGTH_MAX} characters`;
  if (text.includes('--')) return 'it contains "--", which separates the parts of a host name';
  if (!LABEL.test(text)) return 'only lower-case letters, digits and inner hyphens are allowed';
  return undefined;
}

function parseName<Name>(what: string, text: string): Result<Name, NameProblem> {
  const problem = nameProblem(text);
  return problem === undefined ? ok(text as Name) : err(`${what} ${JSON.stringify(text.slice(0, 80))}: ${problem}`);
}

/** `xn` would begin its host names with `xn--`, which browsers take for a name in other letters (RFC 5890 section 2.3.2.1). */
export const parseWorkspaceId = (text: string): Result<WorkspaceId, NameProblem> =>
  text === 'xn' ? err('workspace "xn": host names that begin with "xn--" are reserved') : parseName('workspace', text);
export const parseSandboxName = (text: string): Result<SandboxName, NameProblem> => parseName('sandbox', text);
/** The empty string is the unnamed service. */
export const parseServiceName = (text: string): Result<ServiceName, NameProblem> =>
  text === '' ? ok('' as ServiceName) : parseName('service', text);

/** Parses `workspace/sandbox[/service]`. */
export function parseServiceRef(text: string): Result<ServiceRef, NameProblem> {
  const parts = text.split('/');
  const [workspaceText, sandboxText, serviceText] = parts;
  if (parts.length > 3 || workspaceText === undefined || sandboxText === undefined) {
    return err(`${JSON.stringify(text.slice(0, 200))} is not workspace/sandbox or workspace/sandbox/service`);
  }
  const workspace = parseWorkspaceId(workspaceText);
  if (!workspace.ok) return workspace;
  const sandbox = parseSandboxName(sandboxText);
  if (!sandbox.ok) return sandbox;
  if (serviceText === undefined) return ok({ workspace: workspace.value, sandbox: sandbox.value, service: '' as ServiceName });
  const service = parseName<ServiceName>('service', serviceText);
  if (!service.ok) return service;
  return ok({ workspace: workspace.value, sandbox: sandbox.value, service: service.value });
}

export const formatServiceRef = ({ workspace, sandbox, service }: ServiceRef): string =>
  service === '' ? `${workspace}/${sandbox}` : `${workspace}/${sandbox}/${service}`;
