import { parseSync } from 'vite';

/** A node of the syntax tree, as far as a scan looks: kinds, places, and children by name. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

export function parse(file: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`);
  return program as unknown as SyntaxNode;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Depth first, each with those above it, the nearest last. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode, above: readonly SyntaxNode[]) => void): void {
  const descend = (at: SyntaxNode, above: readonly SyntaxNode[]): void => {
    visit(at, above);
    const inside = [...above, at];
    for (const value of Object.values(at))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) descend(child, inside);
  };
  descend(node, []);
}

/** `a || b || c` as [a, b, c]; parentheses are no nodes. */
export function operands(node: SyntaxNode, operator: '||' | '&&'): readonly SyntaxNode[] {
  if (node.type === 'ParenthesizedExpression') return operands(node.expression as SyntaxNode, operator);
  if (node.type !== 'LogicalExpression' || node.operator !== operator) return [node];
  return [...operands(node.left as SyntaxNode, operator), ...operands(node.right as SyntaxNode, operator)];
}

/** The name of the nearest function that has one. */
export function functionName(above: readonly SyntaxNode[]): string {
  for (const node of above.toReversed()) {
    const named = node.type === 'Property' ? node.key : node.type.startsWith('TS') ? undefined : node.id;
    const holds = node.type === 'FunctionDeclaration' || isFunction(node.type === 'Property' ? node.value : node.init);
    if (holds && isNode(named) && typeof named.name === 'string') return named.name;
  }
  return 'top';
}

const isFunction = (value: unknown): boolean =>
  isNode(value) && (value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression');
