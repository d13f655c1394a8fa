/** Which metrics and labels a query of Prometheus names. No parser of the language: promtool checks that it is one. */
export function usesOf(query: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const bare = query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const selectors = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) => [...(inside as string).matchAll(/(\w+)\s*[=!]/g)]);
  const groups = [...bare.matchAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g)].flatMap(
    ([, inside]) => [...(inside as string).matchAll(/(\w+)/g)],
  );
  const unique = (found: readonly RegExpMatchArray[]): readonly string[] => [...new Set(found.map(([, name]) => name as string))];
  return {
    metrics: unique([...bare.matchAll(/\b((?:sallyport|nodejs|process)_\w+)\b(?!\s*=)/g)]),
    labels: unique([...selectors, ...groups]),
  };
}
