import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { DEFAULT_POLICY, err, type PoolId, type Result, type RuntimeId } from '@sallyport/model';
import { boundaryIn, type Check, checked } from '@sallyport/wire';
import type { LivingWorkload } from './driver.ts';
import type { StaticState, StaticSupervisor } from './static-driver.ts';

/** Workloads or supervisors in one file. */
export const STATIC_ENTRIES_MAX = 10_000;
const SERVICES_MAX = 64;
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads `{"workloads": [{"workspace", "sandbox", "runtimeId", "ready"?, "boundaryAddress"?, "services"?: [{"service", "port"}]}],
 * "supervisors": [{"uid", "pool", "address", "credentialSha256"}]}`. The error is one sentence for people.
 */
export async function readStaticFile(path: string): Promise<Result<StaticState, string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  const state = parseStaticState(text);
  return state.ok ? state : err(`${path}: ${state.error}`);
}

export function parseStaticState(text: string): Result<StaticState, string> {
  if (text.length > FILE_BYTES_MAX) return err(`it has more than ${FILE_BYTES_MAX} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return err(`it is not JSON: ${(error as Error).message}`);
  }
  return checked((check) => {
    const root = objectIn(check, 'the file', json);
    const state: StaticState = {
      workloads: listIn(check, 'workloads', root.workloads ?? [], (entry) => readWorkload(check, entry)),
      supervisors: listIn(check, 'supervisors', root.supervisors ?? [], (entry) => readSupervisor(check, entry)),
    };
    once(
      check,
      'workloads',
      state.workloads.map((workload) => `${workload?.workspace}/${workload?.sandbox}`),
    );
    once(
      check,
      'supervisors',
      state.supervisors.map((supervisor) => supervisor?.supervisorUid ?? ''),
    );
    once(
      check,
      'supervisors, credentialSha256',
      state.supervisors.map((supervisor) => supervisor?.credentialHash ?? ''),
    );
    return state;
  });
}

const readWorkload = (check: Check, entry: Record<string, unknown>): LivingWorkload => ({
  workspace: check.workspace('workloads.workspace', textIn(entry.workspace)),
  sandbox: check.sandbox('workloads.sandbox', textIn(entry.sandbox)),
  runtimeId: check.id<RuntimeId>('workloads.runtimeId', textIn(entry.runtimeId)),
  ready: entry.ready === undefined ? true : entry.ready === true,
  ...boundaryIn(check, textIn(entry.boundaryAddress)),
  services: check.list(
    'workloads.services',
    arrayIn(check, 'workloads.services', entry.services ?? []),
    SERVICES_MAX,
    (service) => {
      const fields = objectIn(check, 'workloads.services', service);
      return {
        service: check.service('workloads.services.service', textIn(fields.service)),
        port: check.port('workloads.services.port', Number(fields.port)),
        policy: DEFAULT_POLICY,
      };
    },
  ),
});

function readSupervisor(check: Check, entry: Record<string, unknown>): StaticSupervisor {
  const address = textIn(entry.address);
  if (isIP(address) === 0) check.fail('supervisors.address is not an IP address');
  return {
    supervisorUid: check.id('supervisors.uid', textIn(entry.uid)),
    poolId: check.id<PoolId>('supervisors.pool', textIn(entry.pool)),
    credentialHash: check.hash('supervisors.credentialSha256', textIn(entry.credentialSha256)),
    address,
  };
}

/** What is no text fails the check that follows, since no name and no id is empty. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const objectIn = (check: Check, field: string, value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : (check.fail(`${field} is not an object`) ?? {});

const arrayIn = (check: Check, field: string, value: unknown): unknown[] =>
  Array.isArray(value) ? value : (check.fail(`${field} is not a list`) ?? []);

const listIn = <T>(check: Check, field: string, value: unknown, make: (entry: Record<string, unknown>) => T): T[] =>
  check.list(field, arrayIn(check, field, value), STATIC_ENTRIES_MAX, (entry) => make(objectIn(check, field, entry)));

function once(check: Check, field: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) check.fail(`${field} names ${JSON.stringify(twice.slice(0, 80))} twice`);
}
