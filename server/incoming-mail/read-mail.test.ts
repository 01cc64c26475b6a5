import { expect, it } from 'vitest';
import { ownWords, wholeText } from './own-words.ts';
import { mailWorker, parseMail, readMail } from './read-mail.ts';

const bodyOf = async (source: string) => (await parseMail(Buffer.from(source), { words: 'own' })).body;
const wordsOf = async (source: string) => ownWords(await bodyOf(source));
const htmlMail = (html: string) =>
  `From: lucy@example.com\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;

/** Answers that differ from those in quotes.test.ts; made by hand. */
const samples: Record<string, string> = {
  'Outlook, French': `So do I.

De : My blog <blog@blog.example>
Envoyé : jeudi 26 novembre 2026 09:12
À : Lucy <lucy@example.com>
Objet : On rivers

They come from the hills.
`,
  'Apple Mail, Spanish': `So do I.

> El 26 nov 2026, a las 9:12, My blog <blog@blog.example> escribió:
>
> On rivers
`,
  'Apple Mail, French': `So do I.

Le 26 nov. 2026 à 09:12, My blog <blog@blog.example> a écrit :

On rivers
`,
  'K-9, Italian': `So do I.

Il 26 novembre 2026 09:12:03 CET, My blog <blog@blog.example> ha scritto:
>On rivers
`,
  'Thunderbird, Dutch': `So do I.

Op 26-11-2026 om 09:12 schreef My blog:
> On rivers
`,
  'with a signature': `So do I.

-- 
Lucy Westenra
Whitby
`,
  'from a phone': `So do I.

Sent from my iPhone
`,
};

it.each(Object.entries(samples))(
  'the words of an answer are cut from what it quotes: %s',
  async (_, text) => {
    const head =
      'From: lucy@example.com\r\nTo: reply+x@blog.example\r\nContent-Type: text/plain; charset=utf-8\r\n';
    expect(await wordsOf(`${head}\r\n${text.replaceAll('\n', '\r\n')}`)).toBe('So do I.');
  },
);

it('the words of a mail that is only HTML are its text', async () => {
  const html =
    '<div>So do I.<br></div><div class="gmail_quote"><div>On Thu, Nov 26, 2026 at 9:12 AM My blog &lt;blog@blog.example&gt; wrote:<br></div><blockquote>On rivers</blockquote></div>';
  expect(await wordsOf(htmlMail(html))).toBe('So do I.');
});

it.each([
  'Em sáb., 28 de nov. de 2026 às 12:53, My blog <Blog@blog.example>\nescreveu:',
  'sob., 28 lis 2026 o 12:53 My blog <blog@blog.example> napisał(a):',
  'Den lör 28 nov. 2026 kl 12:53 skrev My blog <blog@blog.example>:',
  '2026年11月28日(土) 12:53 My blog <blog@blog.example>:',
  'сб, 28 нояб. 2026 г. в 12:53, My blog\n<reply+0a1b@blog.example>:',
])(
  'a line with one of our addresses above a quote introduces it in every language: %s',
  async introduction => {
    const body = await bodyOf(
      `From: lucy@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nSo do I.\n${introduction}\n\n> On rivers\n`,
    );
    expect(ownWords(body, [['blog@blog.example'], ['reply+', '@blog.example']])).toBe('So do I.');
  },
);

it.each(['[image: IMG_1.jpg]', '[cid:image001.png@01DC5F2A.7B1C9E30]'])(
  'a line that stands for a picture is no word of a mail: %s',
  async line => {
    const body = await bodyOf(
      `From: lucy@example.com\r\n\r\nSo do I.\r\n${line}\r\nAnd [image: x] more.\r\n`,
    );
    expect(ownWords(body)).toBe('So do I.\nAnd [image: x] more.');
    expect(wholeText(body)).toBe('So do I.\nAnd [image: x] more.');
  },
);

it('what the writer says of our address stays', async () => {
  const text = 'On 3 May I asked blog@blog.example:\n\nIt was late.\n\nWrite to blog@blog.example:\n';
  const body = await bodyOf(`From: lucy@example.com\r\n\r\n${text}\n> On rivers\n`);
  expect(ownWords(body, [['blog@blog.example']])).toBe(text.trim());
});

it.each(['divRplyFwdMsg', 'appendonsend'])('a quote of Outlook in HTML begins at %s', async id => {
  const html = `<div><div>So do I.</div></div><hr><div id="${id}" dir="ltr"><b>Från:</b> My blog<br><b>Ämne:</b> x</div><div>On rivers</div>`;
  expect(await wordsOf(htmlMail(html))).toBe('So do I.');
});

it('paragraphs and lines of an answer stay', async () => {
  const mail = 'From: lucy@example.com\r\n\r\nFirst line\r\nsecond.\r\n\r\nA paragraph.\r\n';
  expect(await wordsOf(mail)).toBe('First line\nsecond.\n\nA paragraph.');
});

it('the words of a mail that is only HTML in several parts are its text', async () => {
  const html =
    '<p>So do I.</p><blockquote><a href="https://blog.example/unsubscribe?token=x">Stop</a></blockquote>';
  const mail = `From: lucy@example.com\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--\r\n`;
  expect(await wordsOf(mail)).toBe('So do I.');
});

it.each(['--', '---', '==', 'Cheers,', 'On Monday we wrote three letters:'])(
  'what stands below a line %s is of the writer',
  async line => {
    const text = `First.\r\n${line}\r\nSecond.\r\n`;
    expect(await wordsOf(`From: lucy@example.com\r\n\r\n${text}`)).toContain('Second.');
  },
);

it('answers between the lines of a quote stay', async () => {
  const text = 'On Thu, Nov 26, 2026 Mina wrote:\r\n> One?\r\nYes.\r\n> Two?\r\nNo.\r\n';
  expect(await wordsOf(`From: lucy@example.com\r\n\r\n${text}`)).toBe('Yes.\nNo.');
});

it('hostile: a mail of lines that begin like a quote is read', async () => {
  const text = 'Op schreef\r\n'.repeat(5_000);
  expect(await wordsOf(`From: lucy@example.com\r\n\r\n${text}`)).toContain('Op schreef');
});

it.each([
  ['one line', 'word '.repeat(1_000).trim()],
  ['many lines', 'word\n'.repeat(50_000).trim()],
])('a long text is taken whole, as %s', async (_, text) => {
  const mail = `From: lucy@example.com\r\n\r\n${text.replaceAll('\n', '\r\n')}\r\n`;
  expect(wholeText(await bodyOf(mail))).toBe(text);
});

it('a long line of an answer is taken whole', async () => {
  const text = 'word '.repeat(500).trim();
  expect(await wordsOf(`From: lucy@example.com\r\n\r\n${text}\r\n`)).toBe(text);
});

it('the styles of a mail that is only HTML take nothing of its text', async () => {
  const html = `<html><head><style>${'p { margin: 0 }\n'.repeat(10_000)}</style></head><body><p>So do I.</p></body></html>`;
  const body = await bodyOf(htmlMail(html));
  expect([ownWords(body), wholeText(body)]).toEqual(['So do I.', 'So do I.']);
});

it('an empty text beside the HTML of a mail is passed over', async () => {
  const mail =
    'From: lucy@example.com\r\nContent-Type: multipart/alternative; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\n \r\n--x\r\nContent-Type: text/html\r\n\r\n<p>So do I.</p>\r\n--x--\r\n';
  expect(await wordsOf(mail)).toBe('So do I.');
});

it.each([
  ['elements within elements', '<div>'.repeat(100_000)],
  ['more than is read', '<p>So do I.</p>'.repeat(100_000)],
])('hostile: HTML is refused with a sentence: %s', async (_, html) => {
  const body = await bodyOf(htmlMail(html));
  expect(() => wholeText(body)).toThrow('could not be read');
});

it('hostile: a mail of empty lines is refused before it is parsed', async () => {
  await expect(bodyOf(`From: lucy@example.com\r\n\r\n${'\n'.repeat(1_000_000)}`)).rejects.toThrow('lines');
});

it('a worker reads a mail, with the words that are asked for', async () => {
  const source = Buffer.from('From: lucy@example.com\r\n\r\nSo do I.\r\n> On rivers\r\n');
  const texts = [];
  for (const words of ['own', 'whole', 'none'] as const) texts.push((await readMail(source, { words })).text);
  expect(texts).toEqual(['So do I.', 'So do I.\n> On rivers', '']);
});

it('hostile: a mail that takes too long is given up, whatever its worker is at', async () => {
  const source = Buffer.from(`From: lucy@example.com\r\n\r\n${'On 1\n'.repeat(400_000)}`);
  await expect(readMail(source, { words: 'own' }, mailWorker(500))).rejects.toThrow('too complex');
});

it('hostile: what a worker says of a mail that cannot be read reaches its reader', async () => {
  const source = Buffer.from(`From: lucy@example.com\r\n\r\n${'\n'.repeat(1_000_000)}`);
  await expect(readMail(source, { words: 'own' })).rejects.toThrow('lines');
});
