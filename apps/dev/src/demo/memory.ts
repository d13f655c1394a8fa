/** What lives in this process and nowhere else: it proves that a withdrawal, or a new owner, never touched the workload. */
export interface Memory {
  add(): void;
  read(): Remembered;
}

export interface Remembered {
  readonly pid: number;
  /** Told apart from the process id, which a system may use again. */
  readonly startedAt: string;
  readonly upMs: number;
  readonly count: number;
}

export function createMemory(): Memory {
  let count = 0;
  const startedAt = new Date().toISOString();
  const startedMs = performance.now();
  return {
    add() {
      count += 1;
    },
    read: () => ({ pid: process.pid, startedAt, upMs: Math.round(performance.now() - startedMs), count }),
  };
}
