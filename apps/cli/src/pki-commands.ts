import { resolve } from 'node:path';
import { err, ok, parseWorkspaceId, type Result, type WorkspaceId } from '@sallyport/model';
import { isPrincipal, openSigningKeys, type Role, signOperatorToken } from '@sallyport/wire';
import type { Command, Input, Option } from './command.ts';
import { type HostNames, keepInstallation, keepSigningKeys } from './pki/installation-files.ts';
import { manifestOf, serviceNames } from './pki/manifest.ts';
import { formatJson } from './table.ts';
import { failed, misused, type Trouble } from './trouble.ts';

const TRUST_DOMAIN: Option = {
  name: 'trust-domain',
  placeholder: 'NAME',
  meaning: 'Trust domain of the installation; sallyport.local unless given.',
};
const DOMAIN: Option = {
  name: 'domain',
  placeholder: 'DOMAIN',
  meaning: 'For trials: also a certificate for *.DOMAIN, under a CA that clients must be told to trust (apps-ca.crt).',
};
const NEW_KEY: Option = {
  name: 'new-signing-key',
  meaning: 'One more signing key, which signs from now on; those before it still verify.',
};
const DIRECTORY = 'It holds private keys: it is made for you alone; keep it, for what is still good in it is used again.';

export const filesCommand: Command = {
  words: ['pki', 'files'],
  summary: 'Makes the certificates and signing keys of an installation, as files.',
  argumentsForm: 'DIR',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [
    TRUST_DOMAIN,
    DOMAIN,
    { name: 'names', placeholder: 'HOST[,HOST]', meaning: 'Host names under which people reach gateways and discovery.' },
    NEW_KEY,
  ],
  examples: ['sallyport pki files ./pki --names localhost'],
  about: DIRECTORY,
  run: (input) =>
    making(input, async (directory) => {
      const names = (input.option('names') ?? '').split(',').filter(Boolean);
      await keepInstallation(directory, wantedIn(input, { gateway: names, discovery: names }));
      input.progress(`certificates and keys are in ${directory}`);
    }),
};

const LABEL = /^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const secretsCommand: Command = {
  words: ['pki', 'secrets'],
  summary: 'Prints certificates and signing keys of an installation as the Secrets that the Helm chart expects.',
  argumentsForm: 'DIR',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [
    TRUST_DOMAIN,
    DOMAIN,
    { name: 'release', placeholder: 'NAME', meaning: 'Name of the Helm release; sallyport unless given.' },
    { name: 'namespace', placeholder: 'NAME', meaning: 'Its namespace; sallyport unless given.' },
    NEW_KEY,
    { name: 'signing-keys-only', meaning: 'Certificates come from elsewhere, such as cert-manager.' },
  ],
  examples: [
    'sallyport pki secrets ./pki --namespace sallyport',
    'sallyport pki secrets ./pki --namespace sallyport --signing-keys-only',
  ],
  about: `${DIRECTORY}\nPipe it into: kubectl apply -f -\nCertificates last a year: run it again in time, running Pods take what is new.`,
  async run(input) {
    const release = { name: input.option('release') ?? 'sallyport', namespace: input.option('namespace') ?? 'sallyport' };
    if (!LABEL.test(release.name))
      return err(
        misused(
          `--release: ${JSON.stringify(release.name)} is no name of a release: lower case letters, digits and -, at most 30`,
        ),
      );
    if (!NAMESPACE.test(release.namespace))
      return err(misused(`--namespace: ${JSON.stringify(release.namespace)} is no name of a namespace`));
    return making(input, async (directory) => {
      const files = input.flag('signing-keys-only')
        ? await keepSigningKeys(directory, input.flag('new-signing-key'))
        : await keepInstallation(directory, wantedIn(input, serviceNames(release)));
      input.print(formatJson(await manifestOf(release, files)));
    });
  },
};

const DAYS_MAX = 398;
const ROLES = ['admin', 'editor', 'viewer', 'reader'] as const;

export const tokenCommand: Command = {
  words: ['pki', 'token'],
  summary: 'Signs a token for whoever operates an installation, or reads its discovery.',
  argumentsForm: 'DIR [WORKSPACE …]',
  argumentsMin: 1,
  argumentsMax: 65,
  options: [
    { name: 'principal', placeholder: 'NAME', meaning: 'Whom it names, in the audit and in grants.' },
    { name: 'role', placeholder: ROLES.join('|'), meaning: 'What it allows; reader: discovery alone.', choices: ROLES },
    { name: 'days', placeholder: 'N', meaning: `How long it counts, at most ${DAYS_MAX}; 30 unless given.` },
  ],
  examples: [
    'sallyport pki token ./pki --principal ada --role admin',
    'sallyport pki token ./pki team --principal edge-1 --role reader',
  ],
  about:
    'DIR is that of sallyport pki secrets or files. An admin sees all; an editor needs workspaces; a viewer or reader without any sees all.\nA token cannot be taken back alone: it ends with its days, or with its key.',
  async run(input) {
    const principal = input.option('principal') ?? '';
    if (!isPrincipal(principal)) return err(misused('--principal is missing, or has blanks or more than 100 characters'));
    const days = Number(input.option('days') ?? '30');
    if (!(Number.isInteger(days) && days >= 1 && days <= DAYS_MAX))
      return err(misused(`--days: a whole number from 1 to ${DAYS_MAX}`));
    const role = roleOf(input.option('role') ?? '', input.args.slice(1));
    if (!role.ok) return role;
    return making(input, async (directory) => {
      const keys = await openSigningKeys(`${directory}/signing-keys`);
      if (!keys.ok) throw new Error(`${keys.error}: is it the directory of sallyport pki secrets?`);
      try {
        input.print(await signOperatorToken(keys.value, { principal, role: role.value }, days * 24 * 3_600_000));
      } finally {
        keys.value.close();
      }
    });
  },
};

function roleOf(kind: string, names: readonly string[]): Result<Role, Trouble> {
  const workspaces: WorkspaceId[] = [];
  for (const name of names) {
    const workspace = parseWorkspaceId(name);
    if (!workspace.ok) return err(misused(workspace.error));
    workspaces.push(workspace.value);
  }
  switch (kind) {
    case 'admin':
      return names.length === 0
        ? ok({ kind })
        : err(misused('an admin is not limited to workspaces: leave them out, or take editor'));
    case 'editor':
      return names.length > 0 ? ok({ kind, workspaces }) : err(misused('an editor needs workspaces; admin is for all of them'));
    case 'viewer':
    case 'reader':
      return ok({ kind, workspaces: names.length === 0 ? 'all' : workspaces });
    default:
      return err(misused(`--role is missing: one of ${ROLES.join(', ')}`));
  }
}

const wantedIn = (input: Input, hostNames: HostNames) => ({
  trustDomain: input.option('trust-domain') ?? 'sallyport.local',
  hostNames,
  domain: input.option('domain'),
  newSigningKey: input.flag('new-signing-key'),
  now: new Date(),
});

/** Files cannot always be written, and names are not always names: one line for people, no stack. */
async function making(input: Input, make: (directory: string) => Promise<void>): Promise<Result<void, Trouble>> {
  const directory = resolve(input.cwd, input.args[0] ?? '.');
  try {
    await make(directory);
    return ok(undefined);
  } catch (error) {
    return err(failed(error instanceof Error ? error.message : 'failed'));
  }
}
