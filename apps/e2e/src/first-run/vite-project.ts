import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from './small-apps.ts';

/** A small project under a real Vite dev server in a process of its own, as somebody's `npm run dev`. */
export interface ViteProject {
  readonly port: number;
  /** Saves the module that the page shows, as an editor does. */
  edit(text: string): Promise<void>;
  stop(): Promise<void>;
}

const ROOT = resolve(import.meta.dirname, '../../../..');
const START_MS = 110_000;

const INDEX = `<!doctype html><title>vite</title><link rel="icon" href="data:,"><p id="said"></p>
<script type="module" src="/main.js"></script>`;
/** Accepts its own dependency's update, as the plugins of frameworks do for components. */
const MAIN = `import { words } from './words.js';
const show = (text) => { document.getElementById('said').textContent = text; };
show(words);
import.meta.hot.accept('./words.js', (next) => show(next.words));
`;
const wordsOf = (text: string): string => `export const words = ${JSON.stringify(text)};\n`;

export async function startVite(): Promise<ViteProject> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-vite-'));
  const words = join(folder, 'words.js');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  await writeFile(join(folder, 'index.html'), INDEX);
  await writeFile(join(folder, 'main.js'), MAIN);
  await writeFile(words, wordsOf('first'));
  // Its caches would go into the shared node_modules.
  await writeFile(join(folder, 'vite.config.js'), `export default { cacheDir: ${JSON.stringify(join(folder, 'cache'))} };\n`);
  // It prints its port with colours between; one of our choice is easier to know.
  const port = await freePorts(1);
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), `--port=${port}`, '--strictPort'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'development', VITEST: undefined },
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
  await untilReady(child).catch(async (error) => {
    await stop();
    throw error;
  });
  return { port, edit: (text) => writeFile(words, wordsOf(text)), stop };
}

/** Said once it listens. */
function untilReady(child: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`vite is not ready after ${START_MS} ms: ${said}`)), START_MS);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (!said.includes('ready in')) return;
        clearTimeout(late);
        resolve();
      });
    child.once('close', () => {
      clearTimeout(late);
      reject(new Error(`vite ended: ${said}`));
    });
  });
}
