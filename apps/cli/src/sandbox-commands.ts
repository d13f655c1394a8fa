import { writeFileAtomic } from '@sallyport/files';
import { err, ok } from '@sallyport/model';
import { call, gatewayV1, supervisorV1 } from '@sallyport/wire';
import type { Command } from './command.ts';
import { readSandboxName, readScope } from './names.ts';
import { DEADLINE_MS } from './service-commands.ts';
import { formatJson, formatTable, noneOf } from './table.ts';
import { failed, misused } from './trouble.ts';
import { refOf, sandboxView } from './views.ts';

const { registerSandbox, listSandboxes, deleteSandbox } = gatewayV1.GatewayServiceService;
const { Mode } = supervisorV1;

export const registerCommand: Command = {
  words: ['sandbox', 'register'],
  summary: 'Makes a sandbox known, so that services of it can be exposed.',
  argumentsForm: 'WORKSPACE/SANDBOX',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [
    {
      name: 'pool',
      placeholder: 'ID',
      meaning: "The pool of shared supervisors that serves it; by default the installation's default pool.",
    },
    { name: 'dedicated', meaning: 'It has a supervisor of its own; so too where there is no default pool.' },
    { name: 'runtime-id', placeholder: 'ID', meaning: 'The present life of the workload; by default the driver is asked.' },
    {
      name: 'save-token',
      placeholder: 'FILE',
      meaning: "Where to put the token for the sandbox's own supervisor, instead of printing it.",
    },
  ],
  examples: [
    'sallyport sandbox register team/demo --save-token demo.token',
    'sallyport sandbox register team/demo --pool shared-1',
  ],
  about:
    'The token proves the supervisor. It is shown only here; sallyport sandbox delete, or a new credential, makes it worthless.',
  async run(input) {
    const name = readSandboxName(input.args[0] ?? '');
    if (!name.ok) return name;
    const pool = input.option('pool');
    const saveTo = input.option('save-token');
    if (pool !== undefined && (saveTo !== undefined || input.flag('dedicated')))
      return err(
        misused('--dedicated and --save-token do not go with --pool: the supervisors of a pool have tokens of their own'),
      );
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const own = input.flag('dedicated') || saveTo !== undefined;
    const mode = pool !== undefined ? Mode.MODE_SHARED : own ? Mode.MODE_DEDICATED : Mode.MODE_UNSPECIFIED;
    const request = { name: name.value, mode, poolId: pool ?? '', runtimeId: input.option('runtime-id') ?? '' };
    const registered = await call(link, registerSandbox, request, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    if (!registered.ok) return err(await explain(registered.error, `register ${refOf(name.value)}`));
    const { sandbox, supervisorToken: token } = registered.value;
    if (sandbox === undefined) return err(failed("the gateway's answer is empty: it may be of another release"));
    if (saveTo !== undefined && token !== '') {
      try {
        await writeFileAtomic(saveTo, `${token}\n`, 0o600);
      } catch (error) {
        return err(
          failed(
            `${refOf(name.value)} is registered, but its token cannot be written to ${saveTo} (${(error as NodeJS.ErrnoException).code}): delete it and register it again`,
          ),
        );
      }
    }
    const shown = saveTo === undefined && token !== '' ? { supervisorToken: token } : {};
    if (input.json) input.print(formatJson({ ...sandboxView(sandbox), ...shown }));
    else {
      input.progress(
        `${refOf(name.value)} is registered in pool ${sandbox.poolId}${saveTo === undefined || token === '' ? '' : `; the token of its supervisor is in ${saveTo}`}`,
      );
      if (shown.supervisorToken !== undefined) {
        input.progress('the token of its supervisor, shown only now:');
        input.print(shown.supervisorToken);
      }
    }
    return ok(undefined);
  },
};

export const listCommand: Command = {
  words: ['sandbox', 'list'],
  summary: 'Lists sandboxes.',
  argumentsForm: '[WORKSPACE]',
  argumentsMin: 0,
  argumentsMax: 1,
  options: [],
  examples: ['sallyport sandbox list', 'sallyport sandbox list team -o json'],
  async run(input) {
    const scope = readScope(input.args[0] ?? '');
    if (!scope.ok) return scope;
    if (scope.value.sandbox !== '')
      return err(misused(`${JSON.stringify(input.args[0])} is a sandbox; give a workspace, or nothing`));
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const listed = await call(
      link,
      listSandboxes,
      { workspace: scope.value.workspace },
      { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
    );
    if (!listed.ok) return err(await explain(listed.error, 'list sandboxes'));
    const sandboxes = listed.value.sandboxes.map(sandboxView);
    if (input.json) input.print(formatJson(sandboxes));
    else if (sandboxes.length === 0)
      input.progress(noneOf('sandboxes', input.args, '; make one known with: sallyport sandbox register team/demo'));
    else {
      const rows = sandboxes.map((each) => [
        refOf({ workspace: each.workspace, sandbox: each.sandbox }),
        each.mode,
        each.poolId,
        String(each.serviceCount),
        each.runtimeId,
      ]);
      input.print(formatTable(['SANDBOX', 'MODE', 'POOL', 'SERVICES', 'RUNTIME'], rows));
    }
    return ok(undefined);
  },
};

export const deleteCommand: Command = {
  words: ['sandbox', 'delete'],
  summary: 'Withdraws all services of a sandbox and forgets it; the workload itself is not touched.',
  argumentsForm: 'WORKSPACE/SANDBOX',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [],
  examples: ['sallyport sandbox delete team/demo'],
  async run(input) {
    const name = readSandboxName(input.args[0] ?? '');
    if (!name.ok) return name;
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const deleted = await call(
      link,
      deleteSandbox,
      { name: name.value },
      { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
    );
    if (!deleted.ok) return err(await explain(deleted.error, `delete ${refOf(name.value)}`));
    if (input.json) input.print(formatJson({ deleted: refOf(name.value) }));
    else input.progress(`${refOf(name.value)} is deleted`);
    return ok(undefined);
  },
};
