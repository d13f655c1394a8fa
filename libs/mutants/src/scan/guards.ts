import { functionName, isNode, operands, parse, type SyntaxNode, walk } from './syntax.ts';

/** A guard that the code has, and how it is taken out. */
export interface Guard {
  /** `file function: text`, numbered where one function has the same text twice. */
  readonly id: string;
  readonly file: string;
  readonly at: number;
  readonly was: string;
  readonly becomes: string;
}

/** `rules`: every condition of a file is one. `store`: a shell, whose guards are those of its transactions and its deadlines. `relations`: comparisons that are whole functions. */
export type Breadth = 'rules' | 'store' | 'relations';

/**
 * Finds the guards of one file:
 * - each alternative of a condition under which a function leaves (`if (a || b) return …`): as if it never held
 * - each part of a conjunction that is a value (`return a && b`), and each alternative of one: as if it always, or never, held
 * - a refusal in a choice (`ok ? value : err(…)`): as if it never came to it
 * - each comparison with the clock: as if the time were never over
 * - each guard of a transaction: as if it were not compared
 *
 * What the compiler asks for is no rule: `x === undefined` before x is used, a result's `ok` where its value is read, and a union's
 * tag before the field that only it has (`owner.kind === 'owned' && owner.by === m`: the second says both). Where such a test is
 * a rule, a row says so by hand.
 */
export function guardsOf(file: string, source: string, breadth: Breadth): readonly Guard[] {
  const found: { readonly name: string; readonly node: SyntaxNode; readonly becomes: string }[] = [];
  const taken = new Set<SyntaxNode>();
  const text = (node: SyntaxNode): string => source.slice(node.start, node.end);

  function isReadAsResult(node: SyntaxNode, above: readonly SyntaxNode[]): boolean {
    const [, result] = /^!?(\w+)\.ok$/.exec(text(node)) ?? [];
    const body = above.findLast(({ type }) => type.includes('Function'));
    return result !== undefined && body !== undefined && new RegExp(`\\b${result}\\.value\\b`).test(text(body));
  }

  function take(node: SyntaxNode, above: readonly SyntaxNode[], becomes: string): void {
    if (taken.has(node)) return;
    taken.add(node);
    if (!isPresence(text(node)) && !isReadAsResult(node, above)) found.push({ name: functionName(above), node, becomes });
  }

  walk(parse(file, source), (node, above) => {
    if (breadth === 'relations') return isRelation(node) ? take(node.body as SyntaxNode, above, 'true') : undefined;
    if (isStoreGuard(node)) return take(outermostChoice(node, above), above, ALWAYS_HOLDS);
    if (breadth === 'rules') {
      if (node.type === 'IfStatement' && !isNode(node.alternate) && leaves(node.consequent as SyntaxNode))
        for (const each of unnarrowed(operands(node.test as SyntaxNode, '||'), '||', text)) take(each, above, 'false');
      if (isChain(node) && !isInside(taken, above)) {
        const operator = node.operator as '||' | '&&';
        for (const each of unnarrowed(operands(node, operator), operator, text))
          take(each, above, operator === '&&' ? 'true' : 'false');
      }
      if (node.type === 'ConditionalExpression' && !isInside(taken, above)) {
        const refuses = [node.consequent, node.alternate].map(
          (branch) => isNode(branch) && /^(err\(|undefined$)/.test(text(branch)),
        );
        if (refuses[0] !== refuses[1]) take(node.test as SyntaxNode, above, refuses[0] ? 'false' : 'true');
      }
    }
    if (isDeadline(node, text) && !taken.has(node) && !isInside(taken, above))
      take(node, above, aliveIsTrue(node, text) ? 'true' : 'false');
  });

  const counts = new Map<string, number>();
  return found
    .sort((a, b) => a.node.start - b.node.start)
    .map(({ name, node, becomes }) => {
      const plain = `${file} ${name}: ${text(node).replaceAll(/\s+/g, ' ')}`;
      const count = (counts.get(plain) ?? 0) + 1;
      counts.set(plain, count);
      return { id: count === 1 ? plain : `${plain} (${count})`, file, at: node.start, was: text(node), becomes };
    });
}

const isPresence = (text: string): boolean => /^[\w.?()!]+ (===|!==) undefined$/.test(text);

/** Fields that only one kind of ownership has. */
const FIELD_OF = { owned: 'by', offered: 'to', fencing: 'from' } as const;

/** Without those tags that the operand behind them says as well. */
function unnarrowed(
  nodes: readonly SyntaxNode[],
  operator: '||' | '&&',
  text: (node: SyntaxNode) => string,
): readonly SyntaxNode[] {
  const equals = operator === '&&' ? '===' : '!==';
  const plain = (node: SyntaxNode): string => text(node).replaceAll('?.', '.');
  return nodes.filter((node, index) => {
    const [, owner, kind] = new RegExp(`^([\\w.]+)\\.kind ${equals} '(owned|offered|fencing)'$`).exec(plain(node)) ?? [];
    const next = nodes[index + 1];
    if (owner === undefined || kind === undefined || next === undefined) return true;
    return !plain(next).startsWith(`${owner}.${FIELD_OF[kind as keyof typeof FIELD_OF]} ${equals} `);
  });
}

const isChain = (node: SyntaxNode): boolean =>
  node.type === 'LogicalExpression' && (node.operator === '&&' || node.operator === '||');

const isInside = (taken: ReadonlySet<SyntaxNode>, above: readonly SyntaxNode[]): boolean => above.some((node) => taken.has(node));

function leaves(node: SyntaxNode): boolean {
  if (node.type === 'BlockStatement') return (node.body as SyntaxNode[]).some(leaves);
  return ['ReturnStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'].includes(node.type);
}

const GUARD_KINDS = new Set(['absent', 'unmoved-since', 'created-at']);

function isStoreGuard(node: SyntaxNode): boolean {
  if (node.type !== 'ObjectExpression') return false;
  return (node.properties as SyntaxNode[]).some(({ key, value }) => {
    if (!isNode(key) || key.name !== 'is') return false;
    return isNode(value) && typeof value.value === 'string' && GUARD_KINDS.has(value.value);
  });
}

/** A guard in the place of another, on a key that nobody writes. */
const ALWAYS_HOLDS = `({ key: 'taken-out', is: 'absent' as const })`;

/** `absent` or `unmoved`, whichever applies, is one guard. */
function outermostChoice(node: SyntaxNode, above: readonly SyntaxNode[]): SyntaxNode {
  const parent = above.at(-1);
  const isOne =
    parent?.type === 'ConditionalExpression' &&
    [parent.consequent, parent.alternate].every((each) => isNode(each) && isStoreGuard(each));
  return isOne ? parent : node;
}

const isRelation = (node: SyntaxNode): boolean =>
  node.type === 'ArrowFunctionExpression' &&
  isNode(node.body) &&
  node.body.type === 'BinaryExpression' &&
  /^[<>]/.test(node.body.operator as string);

const CLOCK = /\bnow\b|clock\.now\(\)|fencedForMs/;

const isDeadline = (node: SyntaxNode, text: (node: SyntaxNode) => string): boolean =>
  node.type === 'BinaryExpression' &&
  ['<', '<=', '>', '>='].includes(node.operator as string) &&
  CLOCK.test(`${text(node.left as SyntaxNode)} ${text(node.right as SyntaxNode)}`);

/** `now < until` holds while there is time; so does `until > now`. */
const aliveIsTrue = (node: SyntaxNode, text: (node: SyntaxNode) => string): boolean =>
  (node.operator as string).startsWith('<') === CLOCK.test(text(node.left as SyntaxNode));
