/** The promise, if it settles within `ms` milliseconds; otherwise rejects with the error `late`. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, late: string): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(late)), ms);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
