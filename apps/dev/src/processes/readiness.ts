import type { Address, Clock, ReadyCheck } from '@sallyport/process';
import type { Child } from './child.ts';

const ASK_EVERY_MS = 1_000;
/** A process that is stopped, or busy for so long, is not ready either. */
const ANSWER_WITHIN_MS = 1_000;

type Asked = Pick<Child, 'name' | 'pid' | 'alive' | 'announced'>;

/** What each process says of itself: that one lives does not mean that it can do its work. */
export interface Readiness {
  checks(): readonly ReadyCheck[];
  stop(): void;
}

/** Asks `/readyz` of each that lives, once a second. Until the first answer what lives counts as ready. */
export function followReadiness(children: readonly Asked[], clock: Pick<Clock, 'every'>): Readiness {
  const problems = new Map<string, string | undefined>();
  const ask = async (child: Asked): Promise<void> => void problems.set(child.name, await problemAt(child.announced.admin));
  const cancel = clock.every(ASK_EVERY_MS, () => {
    for (const child of children) if (child.alive()) void ask(child);
  });
  return {
    checks: () =>
      children.map(({ name, pid, alive }) => {
        if (!alive()) return { name, ok: false, detail: 'has ended' };
        const problem = problems.get(name);
        return { name, ok: problem === undefined, detail: problem ?? `process ${pid}` };
      }),
    stop: cancel,
  };
}

/** Undefined: all its checks hold. Else the first that does not. */
async function problemAt({ host, port }: Address): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${host}:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { checks } = (await response.json()) as { readonly checks: readonly ReadyCheck[] };
    const failing = checks.find(({ ok }) => !ok);
    if (failing === undefined) return undefined;
    return failing.detail === undefined ? failing.name : `${failing.name}: ${failing.detail}`;
  } catch {
    return 'does not answer';
  }
}
