import { expect, it } from 'vitest';
import { AppError } from '../../../contract/errors.ts';
import { boundedHashing } from './bounded-hashing.ts';

/** A hashing in which every hash waits until it is released. */
function heldHashing() {
  const held: (() => void)[] = [];
  let begun = 0;
  const wait = async () => {
    begun += 1;
    await new Promise<void>(resolve => held.push(resolve));
  };
  const hashing = boundedHashing({
    hash: async password => {
      await wait();
      return `hash of ${password}`;
    },
    verify: async ({ hash, password }) => {
      await wait();
      return hash === `hash of ${password}`;
    },
  });
  return {
    hashing,
    begun: () => begun,
    /** Releases all running hashes and those queued behind them. */
    release: async () => {
      for (let next = held.shift(); next !== undefined; next = held.shift()) {
        next();
        await new Promise(setImmediate);
      }
    },
  };
}

it('two passwords are hashed at a time, the others in their turn, and none is lost', async () => {
  const { hashing, begun, release } = heldHashing();
  const passwords = Array.from({ length: 20 }, (_, index) => `password ${index}`);
  const hashes = passwords.map(password => hashing.hash(password));
  const verified = hashing.verify({ hash: 'hash of x', password: 'x' });
  await new Promise(setImmediate);
  expect(begun()).toBe(2);
  await release();
  expect(await Promise.all(hashes)).toEqual(passwords.map(password => `hash of ${password}`));
  expect(await verified).toBe(true);
  expect(begun()).toBe(21);
});

it('a password is refused with a sentence where fifty wait, and one that fails makes room', async () => {
  const { hashing, release } = heldHashing();
  const hashes = Array.from({ length: 52 }, () => hashing.hash('x'));
  const refused = await hashing.hash('x').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AppError);
  expect(refused).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 5 } });
  await release();
  expect(await Promise.all(hashes)).toHaveLength(52);

  const failing = boundedHashing({ hash: () => Promise.reject(new Error('no')), verify: async () => true });
  for (let count = 0; count < 5; count += 1) await expect(failing.hash('x')).rejects.toThrow('no');
  expect(await failing.verify({ hash: 'x', password: 'x' })).toBe(true);
});

it('an imported hash is compared while ours is being made, which has begun before', async () => {
  const steps: string[] = [];
  const hashing = boundedHashing({
    hash: async () => {
      steps.push('ours begins');
      await new Promise(setImmediate);
      steps.push('ours ends');
      return 'hash';
    },
    verify: async () => {
      steps.push('imported');
      return true;
    },
  });
  expect(await hashing.verify({ hash: '$P$B', password: 'x' })).toBe(true);
  expect(steps).toEqual(['ours begins', 'imported', 'ours ends']);
});
