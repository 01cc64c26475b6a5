/**
 * How much memory all caches of a process may use together, in bytes. Besides them a process uses about 130
 * MB for its code, and what it allocates between two garbage collections.
 */
const allBytes = 80 * 1024 * 1024;

/** The share of each cache, in hundredths. */
const shares = {
  /** Pages of visitors and members, in each encoding. */
  pages: 40,
  /** Answers to calls of visitors, and feeds and sitemaps, with room for long essays. */
  anonymousCalls: 10,
  documents: 10,
  /** Answers of operations about posts. */
  postLists: 20,
  posts: 6,
  counts: 2,
  likes: 4,
  archives: 2,
  /** The identities of cookies and tokens. */
  sessions: 8,
} as const;

export type CacheName = keyof typeof shares;

/** How much memory one cache may use, in bytes. */
export function cacheBytes(name: CacheName): number {
  const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);
  return Math.floor((allBytes * shares[name]) / whole);
}
