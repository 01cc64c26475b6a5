/** The start of a line of module code; a sentence may begin with the same words. */
const moduleStart = String.raw`(?:import\s*(?:type\b|["'{*]|[\w$]+\s*(?:,|from\s*["']))|export\s*(?:[{*]|(?:default|const|let|var|function|class|async|type|interface|enum)\b))`;
const moduleLine = new RegExp(`^${moduleStart}`);
const modules = new RegExp(`^${moduleStart}.*(?:\\n.*\\S.*)*`, 'gm');
const component = /<\/?[A-Z][\w.]*((?:\s(?:"[^"]*"|'[^']*'|[^"'<>])*)?)\/?>/g;
const sentence = /=\s*(?:"([^"]*\s[^"]*)"|'([^']*\s[^']*)')/g;

/** MDX text without module code, and of its components only their sentences. */
export function wordsOfMdx(words: string): string {
  return words
    .replaceAll(modules, '')
    .replaceAll(component, (_, attributes: string) =>
      [...attributes.matchAll(sentence)].map(([, one, other]) => ` ${one ?? other} `).join(''),
    );
}

/** A component's tag alone on a line: its content is Markdown for MDX, but would be HTML for us. */
const componentTag = /^\s*<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*$/;

/**
 * MDX without syntax that only its compiler understands: imports, exports, comments and components, outside
 * of code.
 */
export function withoutModuleSyntax(content: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  let isModule = false;
  let isComment = false;
  let before = '';
  const lastEnd = content.lastIndexOf('*/}');
  let at = 0;
  for (const line of content.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    else if (fence === undefined) {
      if (line.trim() === '') isModule = false;
      else if (before.trim() === '' && moduleLine.test(line)) isModule = true;
      // One that never ends would remove the rest.
      if (/^\s*\{\/\*/.test(line)) isComment = at < lastEnd;
    }
    if (!isModule && !isComment) kept.push(fence === undefined && componentTag.test(line) ? '' : line);
    if (isComment && line.includes('*/}')) isComment = false;
    before = isModule && line.trim() !== '' ? '' : line;
    at += line.length + 1;
  }
  return kept.join('\n');
}
