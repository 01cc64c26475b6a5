import { hash } from 'bcryptjs';
import { expect, it } from 'vitest';
import { blogHash, verifyOfBlog } from './blog-passwords.ts';

/** The official test vector of phpass, and one of WordPress 6.8 (openwall/john, issue 6016). */
const vectors = [
  ['test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['Na101918!', '$wp$2y$10$y6/UfA/WhvVLZK6RxBSJE./L6YpJN8ChGg15a0Pqry/bTGsDuMR1q'],
  ['password', '5f4dcc3b5aa765d61d8327deb882cf99'],
] as const;

it('the password of each kind of hash is told from any other', async () => {
  const made = await hash('of Ghost', 4);
  for (const [password, written] of [...vectors, ['of Ghost', made] as const]) {
    const stored = blogHash(written) ?? '';
    expect([written, stored.startsWith('$'), await verifyOfBlog(stored, password)]).toEqual([
      written,
      true,
      true,
    ]);
    expect([written, await verifyOfBlog(stored, `${password}x`)]).toEqual([written, false]);
    expect([written, await verifyOfBlog(stored, '')]).toEqual([written, false]);
  }
});

it('a hash that would take too long, or that is none, opens nothing', async () => {
  for (const written of [
    '',
    'plain',
    '$P$',
    '$P$zIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
    `$2y$31$${'a'.repeat(53)}`,
    '$argon2id$v=19$x',
    '$wp$',
  ]) {
    expect([written, blogHash(written)]).toEqual([written, undefined]);
    expect([written, await verifyOfBlog(written, '')]).toEqual([written, false]);
  }
});
