import { parseSync } from 'oxc-parser';

/**
 * A mistake made on purpose, in one node of a source file. `at` names the node by the declarations around it
 * and by what it is: `addComment: lockReadable()`, `Sessions.identify: && #2`, the second one there. `put` is
 * what takes its place: its `left` or `right` operand, the `consequent` of an if, `nothing`, or other
 * code.
 */
export type Mistake = { file: string; at: string; put: string };

type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** The source with the mistake. Throws where the file has no such node. */
export function withMistake(source: string, { file, at, put }: Mistake): string {
  const place = placesIn(file, source).find(({ name }) => name === at);
  if (place === undefined) throw new Error(`${file} has no ${at}`);
  const { start, end, code } = replacement(place.path, put, source);
  return source.slice(0, start) + code + source.slice(end);
}

/** A node, after all nodes around it, and how a mistake names it. */
type Place = { name: string; path: readonly Node[] };

/** The nodes of a file that a mistake can name. */
function placesIn(file: string, source: string): Place[] {
  const places: Place[] = [];
  const counts = new Map<string, number>();
  const visit = (path: readonly Node[], node: Node, around: readonly string[]) => {
    const declared = declaredBy(node, path.length);
    const inside = declared === undefined ? around : [...around, declared];
    const kind = kindOf(node);
    if (kind !== undefined) {
      const name = `${inside.join('.')}: ${kind}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      places.push({ name: count === 1 ? name : `${name} #${count}`, path: [...path, node] });
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit([...path, node], child, inside);
  };
  const { program } = parseSync(file, source);
  if (isNode(program)) visit([], program, []);
  return places;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The name of a function, class, method or constant of the file. */
function declaredBy(node: Node, depth: number): string | undefined {
  const { type, id, key, value } = node;
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return wordsOf(id);
  if (type === 'VariableDeclarator' && depth <= 3) return wordsOf(id);
  const isFunction = isNode(value) && /Function/.test(value.type);
  return isFunction ? wordsOf(key) : undefined;
}

/** The name of a node in a mistake; undefined for nodes that no mistake can name. */
function kindOf(node: Node): string | undefined {
  const { type, operator } = node;
  if (typeof operator === 'string') return operator;
  if (type === 'CallExpression' || type === 'NewExpression') {
    const [first] = Array.isArray(node.arguments) ? node.arguments : [];
    const argument = isNode(first) && typeof first.value === 'string' ? `'${first.value}'` : '';
    return `${wordsOf(node.callee)}(${argument})`;
  }
  const statement = /^(If|Return|Throw|ForOf)Statement$/.exec(type)?.[1];
  if (statement !== undefined) return statement.toLowerCase();
  const words = wordsOf(node);
  if (words !== undefined) return words;
  return /^(Object|Array|Conditional|ArrowFunction)Expression$|^(TemplateLiteral|SpreadElement|Property|BlockStatement|VariableDeclaration)$/
    .exec(type)
    ?.slice(1)
    .find(Boolean)
    ?.toLowerCase();
}

/** The last name or the value of a node, if it is a name or a value. */
function wordsOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'MemberExpression') return wordsOf(node.property);
  if (node.type === 'Literal') return String(node.raw).slice(0, 60);
  return typeof node.name === 'string' ? node.name : undefined;
}

function replacement(path: readonly Node[], put: string, source: string) {
  const node = path.at(-1);
  if (node === undefined) throw new Error('A file is no node that can be replaced.');
  const part = ['left', 'right', 'consequent'].includes(put) ? node[put] : undefined;
  const code = (of: Node) => source.slice(of.start, of.end);
  if (put !== 'nothing') return { ...node, code: isNode(part) ? code(part) : put };
  const outer = path.findLast(({ type }) => !/^(Await|Unary|Call)Expression$/.test(type));
  if (outer !== undefined && /Statement$/.test(outer.type) && outer.type !== 'BlockStatement')
    if (outer === node || outer.type === 'ExpressionStatement') return { ...outer, code: '{}' };
  const { callee } = node;
  if (isNode(callee) && isNode(callee.object)) return { ...node, code: code(callee.object) };
  const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
  const before = comma > 0 ? 0 : (/,\s*$/.exec(source.slice(0, node.start))?.[0].length ?? 0);
  return { start: node.start - before, end: node.end + comma, code: '' };
}
