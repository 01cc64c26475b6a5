import { expect, it } from 'vitest';
import { Email, normalEmail } from './email.ts';

it.each([
  [' Mina@Example.COM ', 'mina@example.com'],
  ['kontakt@Müller.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@mu\u0308ller.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@xn--mller-kva.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@XN--MLLER-KVA.DE', 'kontakt@xn--mller-kva.de'],
  ['info@例え。jp', 'info@xn--r8jz45g.jp'],
  ['mina@ｅｘａｍｐｌｅ.com', 'mina@example.com'],
])('%s is the address %s', (written, email) => {
  expect(Email.parse(written)).toBe(email);
  expect(normalEmail(email)).toBe(email);
});

it.each([
  'mina',
  'mina@localhost',
  'mina@exa mple.com',
  'mina@１２７.0.0.1',
  'mina@müller.de/x',
  'mina@müller.de:25',
  'mina@me@müller.de',
  '"mina"@example.com',
  'mi\u202ena@example.com',
  'mina@\u200b.de',
  '.mina@example.com',
  'mi..na@example.com',
  'mina@no-address.invalid',
  `${'ü'.repeat(250)}@example.com`,
  'a'.repeat(1_000_000),
])('%s is no address', written => {
  expect(Email.safeParse(written).success).toBe(false);
});
