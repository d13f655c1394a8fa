import { type Figures, type Ratios, US } from '../measure/figures.ts';

/** What we hold at least. Ratios as in {@link Ratios}: by the scenario's own figure, by processor time, or both. */
interface Floor {
  readonly scenario: string;
  readonly peer: string;
  readonly by: readonly ('value' | 'cpu')[];
  readonly least: number;
}

const BOTH = ['value', 'cpu'] as const;

export const FLOORS: readonly Floor[] = [
  { scenario: 'small', peer: 'configurable-http-proxy', by: BOTH, least: 4 },
  { scenario: 'small', peer: 'http-proxy-3', by: BOTH, least: 2.5 },
  { scenario: 'small', peer: 'caddy', by: BOTH, least: 1.2 },
  { scenario: 'small', peer: 'nginx', by: BOTH, least: 0.55 },
  { scenario: 'down-1m', peer: 'nginx', by: BOTH, least: 1 },
  { scenario: 'up-1m', peer: 'nginx', by: BOTH, least: 1 },
  { scenario: 'ws-64', peer: 'nginx', by: BOTH, least: 0.8 },
  { scenario: 'ws-64k', peer: 'nginx', by: BOTH, least: 0.8 },
  // The client costs more than any proxy here: only processor time tells them apart.
  { scenario: 'tls', peer: 'nginx', by: ['cpu'], least: 0.7 },
];

export const IDLE_TUNNEL_KB_MAX = 60;

export interface FloorLine {
  readonly holds: boolean;
  readonly text: string;
}

/** A line for each floor of which there is something to say. */
export function floorLines(figures: Figures, ratios: Ratios): FloorLine[] {
  const lines: FloorLine[] = FLOORS.flatMap(({ scenario, peer, by, least }) => {
    const ratio = ratios[scenario]?.[peer];
    if (ratio === undefined) return [];
    return by.map((kind) => {
      const holds = ratio[kind] >= least;
      const text = `${scenario}: ${ratio[kind].toFixed(2)} x ${peer} by ${kind === 'cpu' ? 'processor time' : 'figure'}, at least ${least}`;
      return { holds, text };
    });
  });
  const idle = figures.idle?.[US];
  if (idle?.kind === 'measured') {
    const holds = idle.median <= IDLE_TUNNEL_KB_MAX;
    lines.push({ holds, text: `idle: ${idle.median.toFixed(1)} KB a tunnel, at most ${IDLE_TUNNEL_KB_MAX}` });
  }
  return lines;
}
