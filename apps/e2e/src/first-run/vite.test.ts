import { afterAll, beforeAll, expect, test } from 'vitest';
import { get } from '../stack/client.ts';
import { type DevStack, startDev } from '../stack/dev-stack.ts';
import { describeChromium } from '../testing/needs.ts';
import { type Browser, openBrowser } from './browser.ts';
import { startVite, type ViteProject } from './vite-project.ts';

const OTHER_DOMAIN = 'apps.example.test';

describeChromium('a Vite dev server behind --service', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let vite: ViteProject;
  let stacks: readonly [localhost: DevStack, other: DevStack];

  beforeAll(async () => {
    vite = await startVite();
    closing.push(() => vite.stop());
    const services = [`--service=web=${vite.port}`, `--service=mended=${vite.port},host=loopback`];
    const starting = [startDev(services), startDev([...services, `--domain=${OTHER_DOMAIN}`])] as const;
    for (const each of starting) closing.push(async () => (await each.catch(() => undefined))?.stop());
    stacks = await Promise.all(starting);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function browserFor(stack: DevStack, service: string): Promise<Browser> {
    const { caFile, domain } = stack.ready;
    const browser = await openBrowser({ caFile, url: stack.url(service), localDomain: domain });
    closing.push(() => browser.close());
    return browser;
  }

  /** Names are resolved by the browser, so `localhost` too is what it is for people. */
  test.each([
    ['at *.apps.localhost, as it is', 0, 'team/demo/web'],
    ['at another domain, with host=loopback', 1, 'team/demo/mended'],
  ] as const)(
    'an edit reaches the open page without a reload %s',
    async (_title, which, service) => {
      const stack = stacks[which];
      const { page, complaints } = await (await browserFor(stack, service)).open(stack.url(service));
      const said = page.locator('#said');
      await said.filter({ hasText: /^(first|edited .)$/ }).waitFor();
      // A reload would forget it.
      await page.evaluate('window.keptAcrossEdits = "yes"');
      const words = `edited ${which}`;
      // Again, should the page not have been listening yet.
      const edited = async (): Promise<string | null> => vite.edit(words).then(() => said.textContent());
      await expect.poll(edited, { interval: 1_000 }).toBe(words);
      expect(await page.evaluate('window.keptAcrossEdits')).toBe('yes');
      expect(complaints).toEqual([]);
    },
    120_000,
  );

  test('at another domain as it is: 403, and the terminal names the mend', async () => {
    const [, stack] = stacks;
    expect((await get(stack.url('team/demo/web'), stack.ca)).status).toBe(403);
    await expect.poll(() => stack.stdout()).toMatch(/team\/demo\/web error 403: .* is not allowed/);
    await expect
      .poll(() => stack.stdout())
      .toMatch(new RegExp(`service expose team/demo/web=${vite.port} --host-policy loopback`));
  });
});
