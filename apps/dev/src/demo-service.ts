import { createServer } from 'node:http';
import { DEFAULT_POLICY, parseServiceRef } from '@sallyport/model';
export async function demoService() {
  const s = createServer((_q, r) => r.end('hello\n'));
  await new Promise<void>((k) => s.listen(0, '127.0.0.1', k));
  const ref = parseServiceRef('team/demo/web');
  if (!ref.ok) throw new Error();
  return {
    service: { ref: ref.value, port: (s.address() as { port: number }).port, policy: DEFAULT_POLICY },
    close: () => void s.close(),
  };
}
