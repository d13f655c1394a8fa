import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, formatAddress, ok, type Result } from '@sallyport/model';
import { failed, type Trouble } from './trouble.ts';

/** What a running dev stack says about itself, as far as the command line needs it. */
export interface DevStack {
  /** The file that says so. */
  readonly path: string;
  readonly caFile: string;
  readonly adminTokenFile: string;
  /** One for each replica: people end one to see what happens. */
  readonly gateways: Addresses;
  readonly discoveries: Addresses;
}

export type Addresses = readonly [string, ...string[]];

const STATE_DIR = '.sallyport';
/** More stacks of one directory than this nobody starts. */
const STACKS_MAX = 64;

/** Undefined: none runs here, or in the directory that was named. */
export function findDevStack(stateDir: string | undefined, cwd: string): Result<DevStack | undefined, Trouble> {
  const path = stateDir === undefined ? searchUpwards(cwd) : readyFileIn(resolve(cwd, stateDir));
  return path === undefined ? ok(undefined) : readDevStack(path);
}

function searchUpwards(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = readyFileIn(join(at, STATE_DIR));
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** The first stack's file, or that of another one that runs beside it. */
function readyFileIn(directory: string): string | undefined {
  if (!existsSync(directory)) return undefined;
  const folders = [directory, ...Array.from({ length: STACKS_MAX - 1 }, (_, index) => join(directory, String(index + 2)))];
  return folders.map((folder) => join(folder, 'ready.json')).find((path) => existsSync(path));
}

function readDevStack(path: string): Result<DevStack, Trouble> {
  const unusable = (why: string): Result<never, Trouble> =>
    err(failed(`${path} ${why}: start the dev stack again with npm start, or give --gateway, --token-file and --ca-file`));
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return unusable('cannot be read');
  }
  const fields = (typeof file === 'object' && file !== null ? file : {}) as Record<string, unknown>;
  const { caFile, adminTokenFile, gatewayAddress, discoveryAddress } = fields;
  if (![caFile, adminTokenFile, gatewayAddress, discoveryAddress].every((value) => typeof value === 'string'))
    return unusable('lacks what is needed');
  const all = (app: string, first: unknown): Addresses => {
    const others = addressesOf(fields.processes, app).filter((address) => address !== first);
    return [first as string, ...others];
  };
  return ok({
    ...({ path, caFile, adminTokenFile } as Pick<DevStack, 'path' | 'caFile' | 'adminTokenFile'>),
    gateways: all('gateway', gatewayAddress),
    discoveries: all('discovery', discoveryAddress),
  });
}

function addressesOf(processes: unknown, app: string): string[] {
  if (!Array.isArray(processes)) return [];
  return processes
    .filter((each) => each?.app === app && typeof each.address === 'string' && Number.isInteger(each.port))
    .map(({ address, port }) => formatAddress({ host: address, port }));
}
