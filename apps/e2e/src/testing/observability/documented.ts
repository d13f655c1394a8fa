import { fileURLToPath } from 'node:url';
import type { Exported } from './exported.ts';

export const observabilityPage = fileURLToPath(new URL('../../../../../docs/observability.md', import.meta.url));

/** Rows of the page's tables, by the heading that they stand under: an app, or `every process`. */
export function documentedMetrics(page: string): ReadonlyMap<string, readonly Exported[]> {
  const found = new Map<string, Exported[]>();
  let heading = '';
  for (const line of page.split('\n')) {
    heading = /^### (.*)$/.exec(line)?.[1] ?? heading;
    const [, name, type, labels, help] = /^\| `(sallyport_\w+)` \| (\w+) \| (.*?) \| (.+?) \|$/.exec(line) ?? [];
    if (name === undefined || type === undefined || help === undefined) continue;
    const rows = found.get(heading) ?? [];
    rows.push({ name, type, help, labels: namesIn(labels ?? '') });
    found.set(heading, rows);
  }
  return found;
}

/** Node's own are listed by name alone: prom-client says what they are. */
export const documentedRuntimeMetrics = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/`((?:nodejs|process)_\w+)`/g)].map(([, name]) => name as string));

/** A heading's anchor, as the usual viewers make it. */
export const anchorsIn = (page: string): ReadonlySet<string> =>
  new Set(
    [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      (heading as string)
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

const namesIn = (cell: string): readonly string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
