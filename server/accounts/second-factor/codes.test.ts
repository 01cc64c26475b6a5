import { URI } from 'otpauth';
import { expect, it } from 'vitest';
import { newSecret, uriOf } from './codes.ts';

it.each([
  ['Mina: notes, and more', 'Mina notes, and more'],
  ['Notes: 1: 2', 'Notes 1 2'],
  [':', 'Coterie'],
  ['Über & mehr?', 'Über & mehr?'],
])('an app reads the site title %s as %s and the whole address of the account', (title, issuer) => {
  const uri = uriOf(newSecret(), { title }, 'mina@example.com');
  // Apps split the label at its first colon, plain or percent-encoded.
  const [label = ''] = uri.replace('otpauth://totp/', '').split('?');
  expect(decodeURIComponent(label).split(':')).toEqual([issuer, 'mina@example.com']);
  expect(URI.parse(uri)).toMatchObject({ issuer, label: 'mina@example.com' });
});
