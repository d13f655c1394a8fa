import { formatAddress } from '@sallyport/model';
import type { Address } from '@sallyport/process';
import type { gatewayV1 } from '@sallyport/wire';
import type { Part } from './stack.ts';

/** What others read to find a running stack: scripts, tests and the command line. */
export interface ReadyFile {
  readonly domain: string;
  /** For `curl --cacert` and for the gateway and discovery ports alike. */
  readonly caFile: string;
  readonly services: readonly {
    readonly workspace: string;
    readonly sandbox: string;
    readonly service: string;
    readonly host: string;
    readonly url: string;
  }[];
  readonly processes: readonly {
    readonly name: string;
    readonly app: string;
    readonly pid: number;
    readonly address: string;
    readonly port: number;
    readonly adminPort: number;
  }[];
  readonly adminTokenFile: string;
  readonly gatewayAddress: string;
  readonly discoveryAddress: string;
}

export interface ReadyFacts {
  readonly domain: string;
  readonly caFile: string;
  readonly services: readonly gatewayV1.Service[];
  readonly parts: readonly Part[];
  readonly adminTokenFile: string;
  readonly gatewayAddress: Address;
  readonly discoveryAddress: Address;
}

export const readyFileOf = (facts: ReadyFacts): ReadyFile => ({
  domain: facts.domain,
  caFile: facts.caFile,
  services: facts.services.map(({ name, host, url }) => ({
    workspace: name?.workspace ?? '',
    sandbox: name?.sandbox ?? '',
    service: name?.service ?? '',
    host,
    url,
  })),
  processes: facts.parts.map(({ name, app, pid, address, adminPort }) => ({
    name,
    app,
    pid,
    address: address.host,
    port: address.port,
    adminPort,
  })),
  adminTokenFile: facts.adminTokenFile,
  gatewayAddress: formatAddress(facts.gatewayAddress),
  discoveryAddress: formatAddress(facts.discoveryAddress),
});
