/** A part of a file, its end excluded. */
export type Span = readonly [from: number, to: number];

/** The same spans in order, merged where they touch or overlap. */
export function joined(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(([from, to]) => to > from).sort(([a], [b]) => a - b);
  const all: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

/** The gaps between joined spans, from `from` to `to`. */
export function* between(spans: readonly Span[], [from, to]: Span): Generator<Span> {
  let at = from;
  const isAfter = (index: number) => (spans[index]?.[1] ?? 0) > from;
  for (let index = firstWhere(spans.length, isAfter); ; index += 1) {
    const [begins, ends] = spans[index] ?? [to, to];
    if (begins >= to) break;
    if (begins > at) yield [at, begins];
    at = Math.max(at, ends);
  }
  if (at < to) yield [at, to];
}

/** The first of `length` indexes for which `holds`, as for all after it; `length` if there is none. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
