/**
 * What all that a process keeps of the database may take in memory together, in bytes. Beside it, a process takes about 130 MB
 * for its program and its code, and what dies between two collections.
 */
const allBytes = 96 * 1024 * 1024;

/** The parts of it, in hundredths. */
const shares = {
  /** What visitors are sent: pages in each encoding, answers to calls, and the feed, with room for long essays. */
  visitorPages: 14,
  visitorCalls: 8,
  feed: 10,
  /** What members are sent, compressed. */
  memberPages: 14,
  /** Pages that were rendered, to be filled in for each reader. */
  renderedPages: 20,
  /** What is answered about posts. */
  postLists: 14,
  posts: 6,
  counts: 2,
  likes: 4,
  /** Who a cookie or token is. */
  sessions: 8,
} as const;

/** What one of the caches may take, in bytes. */
export function cacheBytes(name: keyof typeof shares): number {
  const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);
  return Math.floor((allBytes * shares[name]) / whole);
}
