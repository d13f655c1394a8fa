import type { Range } from './setting-kinds.ts';
import { environmentName, type Setting } from './settings.ts';

export interface PositionalHelp {
  readonly placeholder: string;
  readonly meaning: string;
  readonly count: Range;
}

/** The lines of `--help` that follow the program's name: each option with its meaning, default and environment variable. */
export function formatHelp(settings: readonly Setting[], positional: PositionalHelp | undefined): string {
  const lines: string[] = [];
  if (positional !== undefined) lines.push('Arguments:', ...entry(positional.placeholder, positional.meaning, ''), '');
  lines.push('Options (the environment variable in brackets does the same; the flag beats it):');
  for (const setting of settings) {
    const head = setting.takes === 'flag' ? `--${setting.name}` : `--${setting.name} ${setting.placeholder}`;
    lines.push(...entry(head, setting.meaning, `${need(setting)}[${environmentName(setting.name)}]`));
  }
  lines.push(...entry('--help', 'Shows this.', ''), ...entry('--version', 'Shows the version.', ''));
  return lines.join('\n');
}

function entry(head: string, meaning: string, tail: string): string[] {
  const text = tail === '' ? meaning : `${meaning} ${tail}`;
  return head.length > COLUMN - 4 ? [`  ${head}`, `${' '.repeat(COLUMN)}${text}`] : [`  ${head.padEnd(COLUMN - 2)}${text}`];
}

function need(setting: Setting): string {
  const again = setting.takes === 'list' ? 'May be repeated. ' : '';
  if (setting.need === 'required') return `${again}Required. `;
  return setting.need === 'optional' || setting.need.shown === '' ? again : `${again}Default ${setting.need.shown}. `;
}

const COLUMN = 34;
