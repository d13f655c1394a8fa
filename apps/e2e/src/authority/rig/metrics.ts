/** The sum of a metric's samples on an admin port, of those whose labels contain `labels`. Unreachable: undefined. */
export async function readMetric(adminPort: number, name: string, labels = ''): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`, { signal: AbortSignal.timeout(1_000) });
    let sum = 0;
    for (const line of (await answer.text()).split('\n')) {
      if (!(line.startsWith(`${name} `) || line.startsWith(`${name}{`)) || !line.includes(labels)) continue;
      sum += Number(line.slice(line.lastIndexOf(' ')));
    }
    return sum;
  } catch {
    return undefined;
  }
}
