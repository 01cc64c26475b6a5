import { expect, it } from 'vitest';
import { passwordHashing } from './password-hashing.ts';

/** `Café quincey`, as better-auth 1.7.6 hashed it for sites of the first versions. */
const older =
  '8ff5382684d9b4c893d5c485ea4aae8b:7144689d51fe66c1cba2bee4c13ed79f5b81e2dad07d367c1630860d45b1479d' +
  'c64f5a518a100a7915fec03dfa992c99935ac623f67f3da8eb66b4ce73d1edb2';

it('37. a password is stored as an scrypt hash with a salt of its own', async () => {
  const [hash, again] = [await passwordHashing.hash('quincey'), await passwordHashing.hash('quincey')];
  expect(hash).not.toBe(again);
  expect(hash).not.toContain('quincey');
  expect(await passwordHashing.verify({ hash, password: 'quincey' })).toBe(true);
  expect(await passwordHashing.verify({ hash, password: 'quincey1' })).toBe(false);
});

it('a hash of the first versions opens the account, however the password is written in Unicode', async () => {
  for (const password of ['Caf\u00e9 quincey', 'Cafe\u0301 quincey'])
    expect(await passwordHashing.verify({ hash: older, password })).toBe(true);
  expect(await passwordHashing.verify({ hash: older, password: 'Cafe quincey' })).toBe(false);
});

it('a malformed hash matches no password', async () => {
  for (const hash of ['', ':', 'ab:', 'ab:cd', `ab:${'zz'.repeat(64)}`])
    expect([hash, await passwordHashing.verify({ hash, password: '' })]).toEqual([hash, false]);
});
