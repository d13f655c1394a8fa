import { describe, test, vi } from 'vitest';
import type { Row } from '../http-cases/row.ts';
import { openStage } from '../stage/stage.ts';

const TITLES = {
  whole: '',
  'single-bytes': ' [one byte a segment]',
  second: ' [second on its connection]',
  'tls-1.2': ' [TLS 1.2]',
};

/** Far beyond what any row waits for by itself, also where a dozen share a processor that is busy with something else. */
const ROW_MS = 120_000;

/** Each row, in each of its ways, is a test on a stage of its own; many run side by side, for most only wait. */
export function runRows(section: string, rows: readonly Row[], rowMs = ROW_MS): void {
  vi.setConfig({ maxConcurrency: 12 });
  describe.concurrent(section, () => {
    for (const { id, title, ways, limits, run } of rows) {
      for (const way of ways) {
        test(
          `${id} ${title}${TITLES[way]}`,
          async () => {
            const stage = await openStage({ way, limits });
            try {
              await run(stage);
              await stage.settle();
            } finally {
              await stage.close();
            }
          },
          rowMs,
        );
      }
    }
  });
}
