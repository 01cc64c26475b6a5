/** A fenced block of code, one without its end, and code within a line. */
const code =
  /^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S]))|(`+)(?!`)(?:(?!\n\n)[\s\S])*?(?<!`)\3(?!`)/gm;

/** Changes a text except in code, where other systems' syntax is shown as it is. */
export function outsideCode(text: string, change: (words: string) => string): string {
  const kept: string[] = [];
  let from = 0;
  for (const match of text.matchAll(code)) {
    kept.push(change(text.slice(from, match.index)), match[0]);
    from = match.index + match[0].length;
  }
  return [...kept, change(text.slice(from))].join('');
}
