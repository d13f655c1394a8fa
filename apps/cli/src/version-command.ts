import { ok } from '@sallyport/model';
import { VERSION } from '@sallyport/process';
import { type CallOptions, call, discoveryV1, gatewayV1, type Link } from '@sallyport/wire';
import type { Command, Input } from './command.ts';
import { formatFacts, formatJson } from './table.ts';
import type { Server } from './target.ts';

/** Servers only add to the answer: none is waited for long. */
const ASK_MS = 3_000;

interface Told {
  readonly version: string | null;
  /** Why it is not known. Empty: it is. */
  readonly why: string;
}

export const versionCommand: Command = {
  words: ['version'],
  summary: 'Shows the release of this command line, and of the servers that it reaches.',
  argumentsForm: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: [],
  examples: ['sallyport version', 'sallyport version -o json'],
  async run(input) {
    const [gateway, discovery] = await Promise.all([
      ask(input, 'gateway', (link, options) => call(link, gatewayV1.GatewayServiceService.getStatus, {}, options)),
      ask(input, 'discovery', (link, options) => call(link, discoveryV1.DiscoveryServiceService.getStatus, {}, options)),
    ]);
    if (input.json) input.print(formatJson({ client: { version: VERSION, why: '' }, gateway, discovery }));
    else
      input.print(
        formatFacts([
          ['client', VERSION],
          ['gateway', gateway.version ?? `unknown: ${gateway.why}`],
          ['discovery', discovery.version ?? `unknown: ${discovery.why}`],
        ]),
      );
    return ok(undefined);
  },
};

async function ask(
  input: Input,
  server: Server,
  question: (link: Link, options: CallOptions) => ReturnType<typeof call<unknown, { readonly version: string }>>,
): Promise<Told> {
  const opened = await input.connections.open(server);
  if (!opened.ok) return { version: null, why: opened.error.text };
  const { link, bearer, explain } = opened.value;
  const answer = await question(link, { deadlineMs: ASK_MS, bearer, signal: input.signal });
  return answer.ok
    ? { version: answer.value.version, why: '' }
    : { version: null, why: (await explain(answer.error, 'ask it')).text };
}
