/** Ours that mean nothing to npm; it has a `cert`, a `key` and a `loglevel` of its own. */
const NAMES = [
  ...['service', 'port', 'listen', 'domain', 'delivery', 'mode', 'ready-file', 'store', 'state-dir', 'processes', 'gateways'],
  ...['members', 'edges', 'boundaries', 'etcd-binary', 'serve-anyway', 'log-level', 'admin-listen'],
] as const;

/**
 * Options that npm took for its own because no `--` stood before them. It warns of them at most, and would start something else than
 * was asked for; what it took stands in the environment of the script.
 */
export function takenByNpm(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const taken = NAMES.filter((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined);
  if (taken.length === 0) return [];
  const options = taken.map((name) => `--${name}`).join(', ');
  return [`npm has taken ${options} for itself: put -- before them, as in npm start -- --service web=3000`];
}
