/** The promise, as long as it settles within so many milliseconds. Rejects with `late` after them. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, late: string): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late)), ms);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
