import type { Log, LogFields, LogLine } from '@sallyport/process';
import type { SimProcess } from '../time/sim-process.ts';
import type { Transcript } from '../transcript.ts';

/** What a process logs, as lines of the transcript; nothing at all when nobody reads it. */
export function simLog(process: SimProcess, transcript: Transcript): Log {
  const line: LogLine = (first: LogFields | string, text?: string) => {
    if (!transcript.wants('detail')) return;
    const fields =
      typeof first === 'string'
        ? ''
        : Object.entries(first)
            .map(([key, value]) => ` ${key}=${String(value)}`)
            .join('');
    transcript.say('detail', process.name, `logs: ${typeof first === 'string' ? first : text}${fields}`);
  };
  const log: Log = {
    trace: line,
    debug: line,
    info: line,
    warn: line,
    error: line,
    fatal: line,
    child: () => log,
    isLevelEnabled: () => false,
  };
  return log;
}
