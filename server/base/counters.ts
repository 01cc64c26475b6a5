/**
 * This process's counts of its own work, for `/metrics`. Plain numbers, because they are counted whether or
 * not they are read.
 */
export const counters = {
  caches: new Map<string, CacheCounts>(),
  /** Open streams, and how long changes waited until every stream had got them. */
  live: { readers: 0, updates: 0, waitedMs: 0 },
};

type CacheCounts = { hits: number; misses: number; entries: number };

export function cacheCounts(name: string | undefined): CacheCounts {
  const counts = (name === undefined ? undefined : counters.caches.get(name)) ?? {
    hits: 0,
    misses: 0,
    entries: 0,
  };
  if (name !== undefined) counters.caches.set(name, counts);
  return counts;
}
