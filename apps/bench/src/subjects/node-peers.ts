import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Subject } from './subject.ts';

const { resolve } = createRequire(import.meta.url);

/** A package of npm, run by a script of ours in `peers/` on the Node that runs us. */
const nodePeer = (name: string, script: string, cannot: Subject['cannot'] = {}): Subject => ({
  name,
  version: () => installedVersion(name),
  installWith: 'npm ci',
  cannot,
  command: (place) => ({
    program: process.execPath,
    args: [fileURLToPath(new URL(`../peers/${script}`, import.meta.url)), JSON.stringify(place)],
    env: { NODE_ENV: 'production' },
  }),
});

/** Not every package exports its package.json, so we look for it above its entry. */
function installedVersion(name: string): string | undefined {
  try {
    for (let folder = dirname(resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
      const file = join(folder, 'package.json');
      const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string }) : {};
      if (found.name === name) return found.version;
    }
  } catch {
    // Not installed.
  }
  return undefined;
}

const NO_WEB_SOCKET = 'it has no WebSocket';

export const nodePeers: readonly Subject[] = [
  nodePeer('http-proxy-3', 'http-proxy-3.mjs'),
  nodePeer('configurable-http-proxy', 'configurable-http-proxy.mjs'),
  nodePeer('@fastify/http-proxy', 'fastify-http-proxy.mjs'),
  nodePeer('fast-proxy', 'fast-proxy.mjs', { 'ws-64': NO_WEB_SOCKET, 'ws-64k': NO_WEB_SOCKET, idle: NO_WEB_SOCKET }),
];
