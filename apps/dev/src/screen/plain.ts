import type { PartRow, ScreenModel, ServiceRow } from './model.ts';
import { clean } from './text.ts';

/** For a file or a pipe: a line when something changes, and the same line never twice in a row for one thing. */
export interface PlainLog {
  update(model: ScreenModel): string[];
}

export function createPlainLog(): PlainLog {
  /** What was last told of each thing. */
  const told = new Map<string, string>();

  function tell(about: string, line: string, lines: string[]): void {
    if (told.get(about) === line) return;
    told.set(about, line);
    lines.push(clean(line));
  }

  return {
    update({ services, notes, parts = [] }) {
      const lines: string[] = [];
      for (const part of parts) tell(`part ${part.name}`, partLine(part), lines);
      for (const service of services) {
        tell(`service ${service.name}`, serviceLine(service), lines);
        if (service.lastError !== undefined) tell(`error ${service.name}`, errorLine(service), lines);
      }
      for (const gone of missing(told, services)) {
        told.delete(`service ${gone}`);
        told.delete(`error ${gone}`);
        lines.push(clean(`${gone} is gone`));
      }
      for (const note of notes) tell(`note ${note}`, note, lines);
      return lines;
    },
  };
}

const partLine = ({ name, state, detail }: PartRow): string => `${name} ${state}${detail === undefined ? '' : `: ${detail}`}`;

/** Counts are left out: they change with each request. */
function serviceLine({ name, state, url, target, detail }: ServiceRow): string {
  if (state === 'serving') return `${name} serving ${url} -> ${target}`;
  return `${name} ${state}${detail === undefined ? '' : `: ${detail}`}`;
}

function errorLine({ name, lastError }: ServiceRow): string {
  const { code = '', reason = '', hint } = lastError ?? {};
  return `${name} error ${code}: ${reason}${hint === undefined ? '' : `. ${hint}`}`;
}

function missing(told: ReadonlyMap<string, string>, services: readonly ServiceRow[]): string[] {
  const present = new Set(services.map(({ name }) => name));
  return [...told.keys()]
    .filter((about) => about.startsWith('service '))
    .map((about) => about.slice('service '.length))
    .filter((name) => !present.has(name));
}
