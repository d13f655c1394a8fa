import { type Held, nameKey, type SandboxRecord } from '@sallyport/authority';
import {
  type Configuration,
  parseSandboxName,
  parseServiceName,
  parseWorkspaceId,
  type SandboxId,
  type ServiceName,
} from '@sallyport/model';
import type { ClauseName, ExplainQuestion, Finding } from './explain.ts';
import { inScope } from './scope.ts';

type Findings = ReadonlyMap<ClauseName, Finding>;

export type Found =
  | {
      readonly kind: 'declared';
      readonly sandboxId: SandboxId;
      readonly sandbox: Held<SandboxRecord>;
      readonly config: Held<Configuration>;
      readonly service: ServiceName;
      readonly findings: Findings;
    }
  | { readonly kind: 'missing'; readonly findings: Findings };

/**
 * Whose host it is. What is declared is looked up by the host itself; only when nobody declares it is its label read, and
 * then merely to tell people what it seems to be about.
 */
export function findDeclared(question: ExplainQuestion): Found {
  const { world, host, scope } = question;
  for (const [sandboxId, config] of world.configs) {
    const service = config.value.services.find((each) => each.host === host);
    if (service === undefined || !inScope(scope, config.value.workspace)) continue;
    const sandbox = world.sandboxes.get(sandboxId);
    if (sandbox === undefined) continue;
    const { workspace, sandbox: name } = sandbox.value;
    const of = service.service === '' ? 'the unnamed service' : `service ${service.service}`;
    return {
      ...{ kind: 'declared', sandboxId, sandbox, config, service: service.service },
      findings: new Map<ClauseName, Finding>([
        ['name', { holds: true, detail: `${host} is the host of ${of} of ${workspace}/${name}` }],
        [
          'sandbox',
          { holds: true, detail: `${workspace}/${name} is registered, ${sandbox.value.mode}, pool ${sandbox.value.poolId}` },
        ],
        ['declaration', { holds: true, detail: `declared on port ${service.port}` }],
      ]),
    };
  }
  return { kind: 'missing', findings: missing(question) };
}

function missing({ world, host, scope }: ExplainQuestion): Findings {
  const [label = '', ...domain] = host.split('.');
  const [workspaceText = '', sandboxText = '', serviceText = '', ...more] = label.split('--');
  const workspace = parseWorkspaceId(workspaceText);
  const sandbox = parseSandboxName(sandboxText);
  const service = parseServiceName(serviceText);
  if (!workspace.ok || !sandbox.ok || !service.ok || more.length > 0 || domain.length === 0) {
    return new Map([
      [
        'name',
        {
          holds: false,
          detail: `nobody declares ${host}, and it is not of the form workspace--sandbox--service.domain`,
          nextStep: 'copy the host from: sallyport service list',
        },
      ],
    ]);
  }
  const ref = `${workspace.value}/${sandbox.value}`;
  const wellFormed: [ClauseName, Finding] = ['name', { holds: true, detail: `${host} would be a service of ${ref}` }];
  const sandboxId = inScope(scope, workspace.value) ? world.names.get(nameKey(workspace.value, sandbox.value))?.value : undefined;
  const config = sandboxId === undefined || !world.sandboxes.has(sandboxId) ? undefined : world.configs.get(sandboxId)?.value;
  if (config === undefined) {
    return new Map([
      wellFormed,
      [
        'sandbox',
        {
          holds: false,
          detail: `no sandbox ${ref} is registered, or you may not see it`,
          nextStep: `register it: sallyport sandbox register ${ref}; or ask an admin for a token that sees ${workspace.value}`,
        },
      ],
    ]);
  }
  const known: [ClauseName, Finding] = ['sandbox', { holds: true, detail: `${ref} is registered` }];
  const elsewhere = config.services.find((each) => each.service === service.value);
  if (elsewhere !== undefined) {
    return new Map([
      [
        'name',
        { holds: false, detail: `the host of that service is ${elsewhere.host}`, nextStep: `use https://${elsewhere.host}/` },
      ],
    ]);
  }
  const name = service.value === '' ? ref : `${ref}/${service.value}`;
  const others = config.services.map((each) => each.service || '(unnamed)').join(', ');
  return new Map([
    wellFormed,
    known,
    [
      'declaration',
      {
        holds: false,
        detail: others === '' ? `${ref} declares no service` : `${ref} declares ${others}, not ${service.value || '(unnamed)'}`,
        nextStep: `declare it: sallyport service expose ${name}=PORT`,
      },
    ],
  ]);
}
