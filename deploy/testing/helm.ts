import { execFile } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const CHART = join(import.meta.dirname, '../helm/sallyport');
export const RELEASE = 'sallyport';
export const NAMESPACE = 'doors';

/** The values files that stand for the ways in which people install it. */
export const SCENARIOS: readonly string[] = globSync('ci/values-*.yaml', { cwd: CHART })
  .map((file) => basename(file, '.yaml').replace('values-', ''))
  .sort();

/** Undefined: there is none. */
export const helm: string | undefined = findHelm();

function findHelm(): string | undefined {
  const given = process.env.SALLYPORT_HELM_BINARY;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'helm'));
  return [...(given === undefined ? [] : [given]), join(import.meta.dirname, '../.helm/helm'), ...onPath].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export type Rendered = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

/** `helm template` with these arguments. */
export const render = (...args: readonly string[]): Promise<Rendered> => renderAs(RELEASE, ...args);

export async function renderAs(release: string, ...args: readonly string[]): Promise<Rendered> {
  const run = promisify(execFile);
  try {
    const { stdout } = await run(helm ?? 'helm', ['template', release, CHART, '--namespace', NAMESPACE, ...args], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return { ok: true, text: stdout };
  } catch (error) {
    return { ok: false, error: (error as { stderr?: string }).stderr ?? String(error) };
  }
}

/** What `helm lint` says of the chart. */
export async function lint(): Promise<string> {
  const { stdout } = await promisify(execFile)(helm ?? 'helm', ['lint', '--strict', CHART]);
  return stdout;
}

export const valuesFile = (scenario: string): string => join(CHART, `ci/values-${scenario}.yaml`);
export const goldenFile = (scenario: string): string => join(import.meta.dirname, `../helm/golden/${scenario}.yaml`);
