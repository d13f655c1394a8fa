import { type Failure, formatAddress, ok, type Result } from '@sallyport/model';
import type { Address } from '@sallyport/process';
import type { StoreServer } from '@sallyport/store';
import { call, driverV1, type gatewayV1, type HandlersOf, type Link } from '@sallyport/wire';
import type { Operators } from './operators.ts';

export interface CheckServiceOptions {
  readonly operators: Operators;
  readonly driver: { readonly link: Link; readonly address: Address };
  readonly store: StoreFacts;
  readonly hasAuthority: () => boolean;
}

export interface StoreFacts {
  /** Undefined: the store is in this process. */
  readonly server: (() => StoreServer | undefined) | undefined;
  readonly connected: () => boolean;
}

type Finding = gatewayV1.Finding;

const DRIVER_MS = 3_000;

/** The operator API's part about what this replica itself depends on. */
export function createCheckService({
  operators,
  driver,
  store,
  hasAuthority,
}: CheckServiceOptions): Pick<HandlersOf<typeof gatewayV1.GatewayServiceService>, 'checkInstallation'> {
  async function driverFindings(): Promise<readonly Finding[]> {
    const { computeDriver } = { computeDriver: driverV1.ComputeDriverServiceService };
    const known = await call(driver.link, computeDriver.getCapabilities, {}, { deadlineMs: DRIVER_MS });
    if (!known.ok) return [unreachable(driver.address, known.error)];
    const looked = await call(driver.link, computeDriver.checkSelf, {}, { deadlineMs: DRIVER_MS });
    return [reached(driver.address, known.value), ...driverSays(looked)];
  }
  return {
    async checkInstallation(_request, caller) {
      const operator = await operators.admit(caller, 'checkInstallation', undefined);
      if (!operator.ok) return operator;
      return ok({ findings: [storeFinding(store), authorityFinding(hasAuthority()), ...(await driverFindings())] });
    },
  };
}

export function storeFinding({ server, connected }: StoreFacts): Finding {
  const answering = server?.();
  if (server === undefined) return holds('store', 'in the memory of the gateway: what is declared ends with it');
  const next = 'look at etcd: etcdctl endpoint status --cluster';
  if (answering === undefined) return fails('store', 'has not answered yet', next);
  const { name, version, wanted } = answering;
  if (!connected()) return fails('store', `${name} ${version} does not answer any more`, next);
  return wanted === undefined
    ? holds('store', `${name} ${version}`)
    : fails('store', `${name} ${version} has bugs that lose events or read old data`, `use ${name} ${wanted} or later`);
}

const authorityFinding = (has: boolean): Finding =>
  has
    ? holds('authority', 'held: this gateway may write')
    : fails('authority', 'none: this gateway grants nothing', 'look at its /readyz, and at the store');

const unreachable = (address: Address, { message }: Failure): Finding =>
  fails(
    'driver',
    `does not answer the gateway at ${formatAddress(address)}: ${message}`,
    'start it, and check --driver of the gateway, the network policy and the internal certificates',
  );

const reached = (address: Address, { driver, version, appEndpoints }: driverV1.GetCapabilitiesResponse): Finding =>
  appEndpoints
    ? holds('driver', `${driver} driver of release ${version} at ${formatAddress(address)}`)
    : fails(
        'driver',
        `${driver} driver at ${formatAddress(address)} gives no endpoints: nothing is published`,
        'start it without --app-endpoints off',
      );

function driverSays(looked: Result<driverV1.CheckSelfResponse, Failure>): readonly Finding[] {
  if (looked.ok) return looked.value.findings.map((finding) => ({ ...finding, name: `driver ${finding.name}` }));
  // One of an earlier release does not know how, and is well for all that.
  if (looked.error.kind === 'unsupported') return [];
  return [fails('driver self-check', looked.error.message, 'look at the log of the driver')];
}

const holds = (name: string, detail: string): Finding => ({ name, ok: true, detail, nextStep: '' });
const fails = (name: string, detail: string, nextStep: string): Finding => ({ name, ok: false, detail, nextStep });
