/** The first line of a fenced block of code, or the backticks before code within a line. */
const opening = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n|`+/gm;
const lastLine = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[`~]*[ \t]*$/gm;

/**
 * Changes a text except in code, where other systems' syntax is shown as it is. The time is linear in the
 * text, also where no code ends.
 */
export function outsideCode(text: string, change: (words: string) => string): string {
  /** The backticks by their number, the next ones last. */
  const ticks = Map.groupBy([...text.matchAll(/`+/g)].reverse(), ([{ length }]) => length);
  let blankLine = -1;
  /** The end of code within a line, which continues over line breaks but over no blank line. */
  const endOfInline = (start: number, length: number) => {
    const ahead = ticks.get(length) ?? [];
    while ((ahead.at(-1)?.index ?? start) < start) ahead.pop();
    const at = ahead.at(-1)?.index;
    if (blankLine < start) blankLine = placeOf(text, '\n\n', start);
    return at === undefined || at > blankLine ? undefined : at + length;
  };
  const kept: string[] = [];
  let from = 0;
  opening.lastIndex = 0;
  for (let opened = opening.exec(text); opened !== null; opened = opening.exec(text)) {
    const [whole, fence] = opened;
    const start = opened.index + whole.length;
    const end = fence === undefined ? endOfInline(start, whole.length) : endOfBlock(text, start, fence);
    if (end === undefined) continue;
    kept.push(change(text.slice(from, opened.index)), text.slice(opened.index, end));
    from = end;
    opening.lastIndex = end;
  }
  return [...kept, change(text.slice(from))].join('');
}

/** The end of a fenced block; that of the text if nothing closes it. */
function endOfBlock(text: string, start: number, fence: string): number {
  lastLine.lastIndex = start;
  for (let line = lastLine.exec(text); line !== null; line = lastLine.exec(text))
    if (line[1]?.startsWith(fence)) return lastLine.lastIndex;
  return text.length;
}

function placeOf(text: string, words: string, from: number): number {
  const at = text.indexOf(words, from);
  return at < 0 ? text.length : at;
}
