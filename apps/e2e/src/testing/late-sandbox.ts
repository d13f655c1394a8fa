import { expect } from 'vitest';
import { get } from '../stack/client.ts';
import { startDev } from '../stack/dev-stack.ts';
import { startLiveApp } from '../stack/live-app.ts';

/** A sandbox with a supervisor of its own that is registered while the stack runs. */
export async function servesLate(args: readonly string[], registerArgs: readonly string[]): Promise<void> {
  const [first, late] = await Promise.all([startLiveApp('first'), startLiveApp('late')]);
  const stack = await startDev(['--mode=dedicated', `--service=team/first/web=${first.port}`, ...args]);
  try {
    const registered = await stack.sallyport('sandbox', 'register', 'team/late', '--dedicated', ...registerArgs);
    expect(registered).toMatchObject({ code: 0 });
    expect(await stack.sallyport('service', 'expose', `team/late/web=${late.port}`)).toMatchObject({ code: 0 });
    const url = async (): Promise<URL | undefined> => {
      const { stdout } = await stack.sallyport('service', 'list', '-o', 'json');
      const services = JSON.parse(stdout) as readonly { readonly url: string }[];
      const found = services.find(({ url: each }) => each.includes('late'));
      return found === undefined ? undefined : new URL(found.url);
    };
    await expect
      .poll(
        async () =>
          get((await url()) as URL, stack.ca)
            .then(({ body }) => body)
            .catch(() => ''),
        { timeout: 15_000, interval: 200 },
      )
      .toBe('late\n');
  } finally {
    await stack.stop();
    await Promise.all([first.close(), late.close()]);
  }
}
