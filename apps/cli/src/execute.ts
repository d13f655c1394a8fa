import { VERSION } from '@sallyport/process';
import { commands } from './commands.ts';
import { createConnections } from './connections.ts';
import { formatHelp } from './help.ts';
import { parseCommandLine } from './parse.ts';
import type { Trouble } from './trouble.ts';

/** What the command line needs of its process; tests give another. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Of a shell: ended by SIGINT. */
const EXIT_INTERRUPTED = 130;

/** Runs one command line; resolves with the exit code. */
export async function execute(host: Host): Promise<number> {
  const parsed = parseCommandLine(commands, host.argv, host.env);
  if (!parsed.ok) return tell(host, parsed.error);
  const { value } = parsed;
  if (value.kind === 'version') {
    host.stdout(`sallyport ${VERSION}\n`);
    return 0;
  }
  if (value.kind === 'help') {
    host.stdout(`${formatHelp(commands, value.words)}\n`);
    return 0;
  }
  const { values } = value;
  const connections = createConnections(values, host.cwd);
  try {
    const done = await value.command.run({
      args: value.args,
      option: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
      flag: (name) => values[name] === true,
      json: values.output === 'json',
      print: (text) => host.stdout(`${text}\n`),
      progress: (text) => host.stderr(`${text}\n`),
      connections,
      env: host.env,
      cwd: host.cwd,
      signal: host.signal,
    });
    if (host.signal.aborted) return EXIT_INTERRUPTED;
    return done.ok ? 0 : tell(host, done.error);
  } finally {
    connections.close();
  }
}

function tell(host: Host, { text, exitCode }: Trouble): number {
  host.stderr(`sallyport: ${text}\n`);
  return exitCode;
}
