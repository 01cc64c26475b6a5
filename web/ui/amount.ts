/**
 * A number with its noun, such as "1 comment" or "1,200 comments". The plural has an s, unless `many` is
 * given.
 */
export function amount(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${number(count)} ${many}`;
}

/** A whole number with separators of thousands. */
export function number(count: number): string {
  // Loading Intl.NumberFormat takes a phone 70 ms.
  return count < 1_000 ? `${count}` : count.toLocaleString('en-US');
}
