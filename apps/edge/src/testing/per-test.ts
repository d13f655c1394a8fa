import { afterEach, beforeEach } from 'vitest';
import { type Stage, type StageOptions, startStage, startUpstream, type Upstream } from './stage.ts';

/** Of the present test. */
export let stage: Stage;
export let upstream: Upstream;

/** The test opens its own door, as it needs it. */
export async function start(options?: StageOptions): Promise<void> {
  stage = await startStage(options);
}

/** Each test of the file has a supervisor, and door and supervisor are closed behind it. */
export function stagePerTest(): void {
  beforeEach(async () => {
    upstream = await startUpstream();
  });
  afterEach(async () => {
    await stage.close();
    await upstream.close();
  });
}

export const endings = (): string[] => stage.ended.map(({ ending }) => ending);
export const refusals = (): string[] => stage.refused.map(({ reason }) => reason);
