// nx with the settings that every command of ours wants: no daemon left behind, plain output.
import { join } from 'node:path';
import { root } from './start/root.mjs';

process.chdir(root);
process.env.NX_DAEMON = 'false';
process.env.NX_TUI = 'false';
await import(join(root, 'node_modules/nx/dist/bin/nx.js'));
