/** A list whose order is not defined. */
export class AnyOrder {
  readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

/** A list of a page, in the specification's sizes. */
export function pageOf<T>(all: readonly T[], page: number, size = 10): { items: T[]; hasNext: boolean } {
  return { items: all.slice((page - 1) * size, page * size), hasNext: all.length > page * size };
}
