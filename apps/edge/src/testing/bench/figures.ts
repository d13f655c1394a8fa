import type { Subject } from './subjects.ts';
import { residentMiB } from './usage.ts';

/** Which way the bytes go: from the supervisor, or from the client. */
export type Way = 'down' | 'up';

/** Of one subject, of all rounds. */
export interface Figures {
  readonly bytes: Readonly<Record<Way, { readonly mibPerSecond: number[]; readonly mibPerCpuSecond: number[] }>>;
  readonly newPerSecond: number[];
  readonly cpuUsPerNew: number[];
  failed: number;
  readonly emptyMiB: number;
  idle: { readonly mib: number; readonly open: number } | undefined;
}

export const noFigures = ({ pid }: Subject): Figures => ({
  bytes: { down: { mibPerSecond: [], mibPerCpuSecond: [] }, up: { mibPerSecond: [], mibPerCpuSecond: [] } },
  newPerSecond: [],
  cpuUsPerNew: [],
  failed: 0,
  emptyMiB: residentMiB(pid),
  idle: undefined,
});

/** A table for people, of what was measured. */
export function tableOf(figures: ReadonlyMap<Subject, Figures>): string {
  const nginx = [...figures].find(([{ name }]) => name === 'nginx')?.[1];
  const bytes = (way: Way) => (of: Figures) => [
    median(of.bytes[way].mibPerSecond).toFixed(0),
    median(of.bytes[way].mibPerCpuSecond).toFixed(0),
    share(median(of.bytes[way].mibPerCpuSecond), median(nginx?.bytes[way].mibPerCpuSecond)),
  ];
  const columns: [titles: string[], isMeasured: (of: Figures) => boolean, cells: (of: Figures) => string[]][] = [
    [['down MiB/s', 'per s of CPU', 'of nginx'], (of) => of.bytes.down.mibPerSecond.length > 0, bytes('down')],
    [['up MiB/s', 'per s of CPU', 'of nginx'], (of) => of.bytes.up.mibPerSecond.length > 0, bytes('up')],
    [
      ['new/s', 'CPU µs each', 'per CPU, of nginx', 'failed'],
      (of) => of.newPerSecond.length > 0,
      (of) => [
        median(of.newPerSecond).toFixed(0),
        median(of.cpuUsPerNew).toFixed(0),
        share(median(nginx?.cpuUsPerNew), median(of.cpuUsPerNew)),
        String(of.failed),
      ],
    ],
    [['memory'], () => true, (of) => [`${of.emptyMiB.toFixed(0)} MiB`]],
    [['idle'], (of) => of.idle !== undefined, (of) => [`${of.idle?.mib.toFixed(0)} MiB with ${of.idle?.open}`]],
  ];
  const measured = columns.filter(([, isMeasured]) => [...figures.values()].every(isMeasured));
  const titles = measured.flatMap(([of]) => of);
  const rows = [...figures].map(([{ name }, of]) => [name, ...measured.flatMap(([, , cells]) => cells(of))]);
  return [['', ...titles], ['', ...titles].map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const share = (part: number, whole: number): string => (Number.isFinite(part / whole) ? (part / whole).toFixed(2) : '');

function median(values: readonly number[] = []): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
