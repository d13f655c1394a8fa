import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

/** PEM files. With `certFile` and `keyFile` we prove ourselves to etcd (`--client-cert-auth`). */
export interface EtcdTls {
  readonly caFile: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /**
   * The name that every member's certificate has. Without it that is the host of its endpoint, which then is a DNS name:
   * TLS has no server name for an IP address, and Node deprecates asking for one (DEP0123).
   */
  readonly serverName?: string;
}

/** As etcd3 takes them. */
export interface EtcdCredentials {
  readonly rootCertificate: Buffer;
  readonly certChain?: Buffer;
  readonly privateKey?: Buffer;
}

/** Throws an Error that names the file. Read anew for each connection: files are replaced while we run. */
export async function readCredentials({ caFile, certFile, keyFile }: EtcdTls): Promise<EtcdCredentials> {
  if ((certFile === undefined) !== (keyFile === undefined)) throw new Error('a certificate for etcd goes with its key');
  const rootCertificate = await read("CA's certificate", caFile);
  if (certFile === undefined || keyFile === undefined) return usable({ rootCertificate });
  const [certChain, privateKey] = [await read('certificate', certFile), await read('key', keyFile)];
  return usable({ rootCertificate, certChain, privateKey });
}

async function read(what: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`cannot read the ${what} for etcd: ${(cause as Error).message}`, { cause });
  }
}

/** grpc would find out with the first call, and say less. */
function usable(credentials: EtcdCredentials): EtcdCredentials {
  try {
    createSecureContext({ ca: credentials.rootCertificate, cert: credentials.certChain, key: credentials.privateKey });
  } catch (cause) {
    throw new Error(`the TLS files for etcd are not usable: ${(cause as Error).message}`, { cause });
  }
  return credentials;
}
