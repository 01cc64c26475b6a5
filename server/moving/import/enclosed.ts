/**
 * Replaces each opening that has a closing after it, together with what stands between. Where both have a
 * group `name`, its text is the same in both. An opening without a closing stays. Both expressions are
 * global. The time is linear in the text if theirs is, also where nothing is closed.
 */
export function replaceEnclosed(
  text: string,
  { opening, closing }: { opening: RegExp; closing: RegExp },
  replace: (opened: RegExpExecArray, inside: string) => string,
): string {
  const nameOf = ({ groups }: RegExpExecArray) => groups?.name?.toLowerCase();
  /** The closings of each name, the next one last. */
  const closings = Map.groupBy([...text.matchAll(closing)].reverse(), nameOf);
  const parts: string[] = [];
  let from = 0;
  opening.lastIndex = 0;
  for (let opened = opening.exec(text); opened !== null; opened = opening.exec(text)) {
    const start = opened.index + opened[0].length;
    const ahead = closings.get(nameOf(opened)) ?? [];
    while ((ahead.at(-1)?.index ?? start) < start) ahead.pop();
    const closed = ahead.at(-1);
    if (closed === undefined) continue;
    parts.push(text.slice(from, opened.index), replace(opened, text.slice(start, closed.index)));
    from = closed.index + closed[0].length;
    opening.lastIndex = from;
  }
  return [...parts, text.slice(from)].join('');
}
