import { fileURLToPath } from 'node:url';
import { VERSION } from '@sallyport/process';
import { US } from '../measure/figures.ts';
import type { Subject } from './subject.ts';

/** As the images have it (deploy/images/Dockerfile). */
const NODE_OPTIONS = [
  '--max-semi-space-size=16',
  `--openssl-config=${fileURLToPath(new URL('../../../../deploy/images/openssl.cnf', import.meta.url))}`,
];

/** The listener of a supervisor, from our sources, as `supervisor-process.ts` runs it. */
export const supervisor = (profileFolder?: string): Subject => ({
  name: US,
  version: () => VERSION,
  installWith: 'npm ci',
  cannot: {},
  command: ({ host, port, appPort, certFile, keyFile }) => ({
    program: process.execPath,
    args: [
      '--conditions=@sallyport/source',
      '--disable-warning=ExperimentalWarning',
      ...NODE_OPTIONS,
      ...(profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]),
      fileURLToPath(new URL('supervisor-process.ts', import.meta.url)),
      `--app-listen=127.0.0.1:${port}`,
      `--host=${host}`,
      `--app-port=${appPort}`,
      `--app-cert-file=${certFile}`,
      `--app-key-file=${keyFile}`,
      '--admin-listen=127.0.0.1:0',
      // The others write no access log either.
      '--log-level=warn',
      '--drain=1s',
    ],
  }),
});
