import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DevStack, startDev } from '../stack/dev-stack.ts';
import { describeChromium } from '../testing/needs.ts';
import { type Browser, openBrowser, PHONE } from './browser.ts';

const SERVICE = 'team/demo/web';

describeChromium('the demo in a real browser', () => {
  let stack: DevStack;
  let browser: Browser;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    stack = await startDev([]);
    closing.push(() => stack.stop());
    browser = await openBrowser({ caFile: stack.ready.caFile, url: stack.url(SERVICE) });
    closing.push(() => browser.close());
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  const text = async (visit: Awaited<ReturnType<Browser['open']>>, id: string): Promise<string> =>
    (await visit.page.locator(`#${id}`).textContent()) ?? '';

  test('counts, echoes over its WebSocket, ticks, uploads', async () => {
    const visit = await browser.open(stack.url(SERVICE));
    const { page } = visit;
    await page.locator('#socket-state', { hasText: 'open' }).waitFor();
    await page.locator('#add').click();
    await page.locator('#count', { hasText: '1' }).waitFor();
    await page.locator('#message').fill('is anybody there?');
    await page.locator('#send').click();
    await page.locator('#messages li', { hasText: '← is anybody there?' }).waitFor();
    await page.locator('#ticks', { hasText: /^([2-9]|\d\d+) ticks$/ }).waitFor();
    await page.locator('#upload-made').click();
    await page.locator('#upload-state', { hasText: 'every byte arrived' }).waitFor();
    expect(await text(visit, 'upload-counted')).toBe('32 MB');
    expect(visit.complaints).toEqual([]);
    await page.close();
  });

  test('shows its WebSocket closing when the service is deleted, why, and the same process when it is back', async () => {
    const visit = await browser.open(stack.url(SERVICE));
    const { page } = visit;
    await page.locator('#socket-state', { hasText: 'open' }).waitFor();
    const [pid, count] = [await text(visit, 'pid'), await text(visit, 'count')];

    expect((await stack.sallyport('service', 'delete', SERVICE)).code).toBe(0);
    await page.locator('#chronicle li', { hasText: 'The live socket was cut.' }).waitFor();
    await page.locator('#socket-state', { hasText: 'closed because the service was withdrawn' }).waitFor();
    await page.locator('h1', { hasText: 'The door is shut.' }).waitFor();
    expect(await page.title()).toBe('Door shut · Sallyport demo');

    const listed = JSON.parse((await stack.sallyport('service', 'list', '-o', 'json')).stdout) as unknown;
    expect(listed).toEqual([]);
    const port = /127\.0\.0\.1:(\d+)/.exec((await page.locator('.lead').textContent()) ?? '')?.[1];
    expect((await stack.sallyport('service', 'expose', `${SERVICE}=${port}`)).code).toBe(0);
    await page.locator('#socket-state', { hasText: 'open' }).waitFor();
    await page.locator('#chronicle li', { hasText: 'Same process as before' }).waitFor();
    expect([await text(visit, 'pid'), await text(visit, 'count')]).toEqual([pid, count]);
    await page.close();
  });

  test('fits a phone: nothing is cut off sideways, and it works by touch', async () => {
    const { page, complaints } = await browser.open(stack.url(SERVICE), PHONE);
    await page.locator('#socket-state', { hasText: 'open' }).waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(PHONE.width);
    const before = Number(await page.locator('#count').textContent());
    await page.locator('#add').click();
    await page.locator('#count', { hasText: String(before + 1) }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
