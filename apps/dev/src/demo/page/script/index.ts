import { clock } from './clock.ts';
import { commands } from './commands.ts';
import { door } from './door.ts';
import { memory } from './memory.ts';
import { page } from './page.ts';
import { socket } from './socket.ts';
import { upload } from './upload.ts';

/** One module, so that its names are its own; the parts are in the order in which they use each other. */
export const script = ['\n', page, door, commands, memory, socket, clock, upload].join('');
