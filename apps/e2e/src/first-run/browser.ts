import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from './find-program.ts';

/** A browser as a newcomer has it: a fresh profile that knows nothing but the dev CA. */
export interface Browser {
  /** In a window of its own, without what other pages left behind. */
  open(url: URL, size?: Size): Promise<Visit>;
  close(): Promise<void>;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Visit {
  readonly page: Page;
  /** What the page threw or reported as an error. */
  readonly complaints: readonly string[];
}

export const DESKTOP: Size = { width: 1280, height: 800 };
export const PHONE: Size = { width: 390, height: 844 };

export interface BrowserOptions {
  readonly caFile: string;
  /** One of the stack's URLs, whose certificate is the one to meet. */
  readonly url: URL;
  /** Names under this domain are on this machine; `*.localhost` is so by itself. */
  readonly localDomain?: string;
}

/** Of whatever is waited for in a page: only what never comes has failed. */
const PATIENCE_MS = 100_000;

const run = promisify(execFile);

export async function openBrowser(options: BrowserOptions): Promise<Browser> {
  const executablePath = await findProgram('chromium');
  if (executablePath === undefined) throw new Error('no chromium: apt-get install -y chromium');
  const home = await mkdtemp(join(tmpdir(), 'sallyport-browser-'));
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    const context = await launch(executablePath, home, options);
    return {
      open: (url, size = DESKTOP) => visit(context, url, size),
      async close() {
        await context.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function launch(executablePath: string, home: string, options: BrowserOptions): Promise<BrowserContext> {
  const trust = (await trustByStore(home, options.caFile)) ? [] : [await trustByKey(options.url)];
  const local = options.localDomain === undefined ? [] : [`--host-resolver-rules=MAP *.${options.localDomain} 127.0.0.1`];
  const context = await chromium.launchPersistentContext(join(home, 'profile'), {
    timeout: PATIENCE_MS,
    executablePath,
    headless: true,
    chromiumSandbox: false,
    // The test's own runner ends tests; it must not be ended by the browser's handlers.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    env: { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', ...trust, ...local],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** As people import it: the CA itself, so that its constraints are judged by the browser too. Needs NSS's certutil. */
async function trustByStore(home: string, caFile: string): Promise<boolean> {
  const certutil = await findProgram('certutil');
  if (certutil === undefined) return false;
  for (const store of [join(home, '.pki', 'nssdb'), join(home, 'data', 'pki', 'nssdb')]) {
    await mkdir(store, { recursive: true });
    await run(certutil, ['-d', `sql:${store}`, '-N', '--empty-password']);
    await run(certutil, ['-d', `sql:${store}`, '-A', '-t', 'C,,', '-n', 'sallyport', '-i', caFile]);
  }
  return true;
}

/** Without certutil: this one key, whoever vouches for it, and no other. */
async function trustByKey(url: URL): Promise<string> {
  const raw = await new Promise<Buffer>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(url.port), servername: url.hostname, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.once('error', reject);
  });
  const key = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`;
}

async function visit(context: BrowserContext, url: URL, size: Size): Promise<Visit> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.setViewportSize(size);
  await page.goto(url.href);
  return { page, complaints };
}
