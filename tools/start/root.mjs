import { fileURLToPath } from 'node:url';

/** The checkout, without a trailing slash. Commands keep the caller's folder: paths among their arguments are the caller's. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
