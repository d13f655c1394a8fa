import { resolve } from 'node:path';

const CLI = 'npm run -s sallyport --';
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** How people call the command line for the stack in `run`: by itself it finds only the one in the default directory. */
export const cliFor = (run: string, byDefault: string): string =>
  run === resolve(byDefault) ? CLI : `SALLYPORT_STATE_DIR=${PLAIN.test(run) ? run : `'${run.replaceAll("'", "'\\''")}'`} ${CLI}`;
