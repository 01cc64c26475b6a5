import { expect, it } from 'vitest';
import { oldAddress } from './old-addresses.ts';

it('different spellings of an address lead to the same post', () => {
  for (const written of [
    'https://old.example/2020/05/a-w%C3%A4lk/',
    'http://other.example//2020/05/a-wa\u0308lk',
    '/2020/05/a-wälk/index.html',
    '/2020/05/a-wälk?utm_source=x#more',
  ]) {
    expect(oldAddress(written)).toBe('/2020/05/a-wälk');
  }
  expect(oldAddress('https://old.example/?p=12')).toBe('/?p=12');
  expect(oldAddress('https://old.example/index.php?page_id=12')).toBe('/?p=12');
  expect(oldAddress('https://old.example/blog/?p=12')).toBe('/blog/?p=12');
});

it('addresses that differ in case are different addresses', () => {
  expect(oldAddress('/A-Walk')).not.toBe(oldAddress('/a-walk'));
});

it('an address that leads to no particular post is ignored', () => {
  for (const written of [
    '/',
    '',
    'https://old.example',
    '/index.html',
    '/?p=x',
    'mailto:a@b.c',
    `/${'x'.repeat(2_000)}`,
    '/a%00b',
  ]) {
    expect(oldAddress(written)).toBeUndefined();
  }
});
