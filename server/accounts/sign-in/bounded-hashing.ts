import { AppError } from '../../../contract/errors.ts';
import { isImportedHash } from './imported-passwords.ts';
import type { PasswordHashing } from './password-hashing.ts';

/** Of the four threads of Node's pool; the others serve files and compress responses. */
const mostAtOnce = 2;
/** At 84 ms each, the last one waits two seconds. */
const mostWaiting = 50;

/**
 * Bounds concurrent password hashing. Throws unavailable if too many wait. An imported hash, often cheaper
 * than ours, is compared while a hash of ours is computed, so that the time does not reveal which addresses
 * are members.
 */
export function boundedHashing(hashing: PasswordHashing): PasswordHashing {
  const inTurn = queue();
  const hash: PasswordHashing['hash'] = password => inTurn(() => hashing.hash(password));
  return {
    hash,
    verify: async tried => {
      const compare = () => inTurn(() => hashing.verify(tried));
      if (!isImportedHash(tried.hash)) return await compare();
      // Ours begins first: it runs in a thread of its own; an imported one can block this thread.
      const [, isRight] = await Promise.all([hash(tried.password), compare()]);
      return isRight;
    },
  };
}

/** Runs jobs in their order, at most {@link mostAtOnce} at a time. */
function queue() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(job: () => Promise<T>): Promise<T> => {
    if (running < mostAtOnce) running += 1;
    else if (waiting.length < mostWaiting) await new Promise<void>(resolve => waiting.push(resolve));
    else {
      throw new AppError(
        'unavailable',
        'Too many people are logging in. Please try again in a few seconds.',
        {
          retryAfterSeconds: 5,
        },
      );
    }
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
