import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cliFor } from './cli-call.ts';

const rows: [title: string, run: string, want: string][] = [
  ['the stack that the command line finds by itself', resolve('.sallyport'), 'npm run -s sallyport --'],
  [
    'a second one beside it',
    resolve('.sallyport/2'),
    `SALLYPORT_STATE_DIR=${join(resolve('.sallyport'), '2')} npm run -s sallyport --`,
  ],
  ['a directory of its own', '/srv/door', 'SALLYPORT_STATE_DIR=/srv/door npm run -s sallyport --'],
  ['a path that a shell would take apart', "/srv/it's here", "SALLYPORT_STATE_DIR='/srv/it'\\''s here' npm run -s sallyport --"],
];
test.each(rows)('%s', (_title, run, want) => expect(cliFor(run, '.sallyport')).toBe(want));
