/** What a process said last, in words: the log of one that ends at its start is gone with the stack. */
export function lastWords(said: string): string {
  const line = said.trimEnd().split('\n').at(-1) ?? '';
  if (line === '') return 'it said nothing';
  try {
    const { msg, why, err } = JSON.parse(line) as { msg?: string; why?: string; err?: { message?: string } };
    return [msg, why, err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return line;
  }
}
