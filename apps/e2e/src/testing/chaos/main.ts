// `npm run chaos`: real processes, real faults, in the order that a seed says; ends with 1 if anything that must hold did not.
import { findEtcd, INSTALL_ETCD } from '@sallyport/store/etcd-process';
import { readOptions, USAGE } from './options.ts';
import { summaryOf } from './report.ts';
import { runChaos } from './run.ts';

const say = (line: string): void => console.log(line);

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n${USAGE}`);
  process.exitCode = 64;
} else if (findEtcd(process.env.SALLYPORT_ETCD_BINARY, process.env.PATH) === undefined) {
  console.error(`chaos needs an etcd: ${INSTALL_ETCD}`);
  process.exitCode = 69;
} else if (options.plan) {
  for (const line of options.planLines()) say(line);
} else {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const outcome = await runChaos(options, say, stopping.signal);
  if (outcome === undefined) process.exit(130);
  for (const line of summaryOf(options, outcome)) say(line);
  process.exitCode = outcome.violations.length > 0 ? 1 : 0;
}
