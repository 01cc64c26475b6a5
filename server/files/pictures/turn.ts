import { AppError } from '../../../contract/errors.ts';

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Runs one job at a time: a large picture takes hundreds of megabytes when decoded, and several may arrive at
 * once.
 */
export async function inTurn<T>(job: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(job);
  lastTurn = turn.catch(() => {});
  return await turn;
}

export const tooManyPixels = () => new AppError('out-of-range', 'This picture has too many pixels.');
