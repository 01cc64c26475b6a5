import PostalMime from 'postal-mime';
import { expect, it, vi } from 'vitest';
import { headersOf, readHead } from './read-head.ts';

const read = (...lines: string[]) => readHead(headersOf(Buffer.from(`${lines.join('\r\n')}\r\n\r\nbody`)));

it('of the headers of a mail only the used ones are parsed, and 4,000 characters of most', async () => {
  const parse = vi.spyOn(PostalMime, 'parse');
  const head = await read(
    'From: Lucy <lucy@example.com>',
    `X-Made-Up: ${'a:'.repeat(20_000)}`,
    'To: reply@blog.example,',
    ' Mina <mina@example.com>',
    `Cc: ${'a:'.repeat(5_000)}`,
    'Message-ID: <1@example.com>',
    'subject : =?utf-8?q?Re=3A_=C3=A9?=',
    'Authentication-Results: mx.example;',
    '\tdmarc=fail',
  );
  expect(String(parse.mock.lastCall?.[0]).length).toBeLessThan(4_400);
  expect(head).toMatchObject({
    from: 'lucy@example.com',
    to: ['reply@blog.example', 'mina@example.com', ...head.to.slice(2)],
    messageId: '<1@example.com>',
    subject: 'Re: é',
    isAnswer: true,
    isForged: true,
  });
});

it('a mail with more than a hundred used headers has no sender', async () => {
  const to = (count: number) => Array.from({ length: count }, () => 'To: reply@blog.example');
  expect((await read('From: lucy@example.com', ...to(99))).from).toBe('lucy@example.com');
  expect((await read('From: lucy@example.com', ...to(100))).from).toBe('');
});

it('a sender longer than what is parsed is none', async () => {
  const folded = '\r\n '.repeat(1_500);
  expect((await read(`From: lucy@example.com,${folded}mina@example.com`)).from).toBe('');
  expect((await read(`From: lucy@example.com${folded}`)).from).toBe('');
});

it('a verdict of the mail server is read behind any number of signatures', async () => {
  const signatures = (count: number) =>
    Array.from({ length: count }, (_, at) => `\tdkim=fail header.d=${'x'.repeat(250)}.${at}.example;`);
  const isForged = async (count: number, verdict: string) => {
    const results = ['Authentication-Results: mx.example;', ...signatures(count), `\tdmarc=${verdict}`];
    return (await read('From: Lucy <lucy@example.com>', ...results)).isForged;
  };
  expect(await isForged(200, 'fail')).toBe(true);
  expect(await isForged(200, 'pass')).toBe(false);
});
