import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { MOUNTED_AT } from '../plan.ts';

const ROOT = resolve(import.meta.dirname, '../../../../../..');
const OURS = ['supervisor', 'gateway', 'driver', 'discovery', 'boundary'];
/** Everything but these runs on the machine itself: its addresses are the bridge's. */
const IN_SANDBOXES = ['supervisor', 'boundary', 'node'];

/** `registry/name:tag` is `name`. */
export const nameOf = (image: string): string => (image.split('/').at(-1) ?? '').split(':')[0] ?? '';

export const isControlPlane = (images: readonly string[]): boolean =>
  !images.some((image) => IN_SANDBOXES.includes(nameOf(image)));

/** The command that does here what the image would do: our apps from their sources, etcd and node as they are installed. */
export function commandOf(
  {
    image,
    command = [],
    args = [],
  }: { readonly image: string; readonly command?: readonly string[]; readonly args?: readonly string[] },
  { folder, address }: { readonly folder: string; readonly address: string },
): readonly string[] {
  const given = [...command, ...args].map((arg) =>
    arg.replaceAll(`${MOUNTED_AT}/`, `${folder}/`).replaceAll('0.0.0.0:', `${address}:`),
  );
  const name = nameOf(image);
  if (OURS.includes(name))
    return [process.execPath, '--conditions=@sallyport/source', join(ROOT, 'apps', name, 'src/main.ts'), ...given];
  if (name === 'node') return [process.execPath, ...given.slice(1)];
  if (name === 'etcd') return [etcd(), `--data-dir=${join(folder, 'data')}`, ...given.filter((arg) => arg !== 'etcd')];
  throw new Error(`nothing here stands for the image ${image}`);
}

let found: string | undefined;
function etcd(): string {
  found ??= process.env.SALLYPORT_ETCD_BINARY ?? execFileSync('sh', ['-c', 'command -v etcd']).toString().trim();
  return found;
}
