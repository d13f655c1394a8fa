/**
 * Kubernetes' resource versions count what the store has seen, so of two decimal ones the smaller is the older. The API calls
 * them opaque for most of its history: where either is no number nothing is older, and only equality tells.
 */
export function isOlder(a: string, b: string): boolean {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

const DECIMAL = /^(?:0|[1-9]\d{0,38})$/;
