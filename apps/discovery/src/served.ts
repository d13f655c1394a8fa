/** Discovery without its port: what it does with any stream and any reader. The simulation runs it as it is. */
export { createAdmission } from './admission.ts';
export { createGrantWatchers, createReaders } from './readers.ts';
export { createResumeTokens } from './resume-token.ts';
export { createSnapshotLine } from './snapshot-line.ts';
export { createUrls } from './urls.ts';
export { serveWatch, type WatchOptions } from './watch.ts';
