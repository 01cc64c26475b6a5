import { expect, test } from 'vitest';
import { renderMarkdown } from './render.ts';

const html = (markdown: string) => renderMarkdown(markdown).html;

test.each([
  ['de', 'Am Morgen lag der Nebel noch über dem Fluss, und niemand war auf der Brücke zu sehen.'],
  ['fr', 'Le matin, la brume était encore sur la rivière et personne ne se trouvait sur le pont.'],
  ['ja', '今朝は川の上にまだ霧がかかっていて、橋の上には誰もいませんでした。'],
  ['zh', '早晨，河面上仍笼罩着薄雾，桥上看不到一个人。'],
])('the blocks of a text in %s say so', (lang, words) => {
  expect(html(`# A\n\n${words}`)).toContain(`<p lang="${lang}">`);
});

const inArabic = 'في الصباح كان الضباب لا يزال فوق النهر ولم يكن أحد على الجسر.';
const inGerman =
  'In der Nacht stieg das Wasser, und am Morgen war von der Wiese nichts mehr zu sehen. Die Kinder liefen hinunter und fanden dort einen alten Kahn, den niemand kannte.';
const inFrench =
  'Le matin, la brume était encore sur la rivière et personne ne se trouvait sur le pont. Les enfants étaient partis avec leur grand-mère.';
const inEnglish =
  'In the morning the fog still lay over the river, and nobody was to be seen on the bridge. The children had left with their grandmother.';
const languagesIn = (...blocks: string[]) =>
  [...html(blocks.join('\n\n')).matchAll(/<(\w+)(?: id="[^"]*")?(?: lang="([\w-]+)")?/g)].map(
    ([, tag, lang = '']) => `${tag} ${lang}`.trim(),
  );

test('each paragraph in another language than its text says so', () => {
  const blocks = languagesIn(
    inGerman,
    inGerman,
    inGerman,
    inGerman,
    inFrench,
    inEnglish,
    inArabic,
    '今朝は川の上に霧が。',
  );
  expect(blocks).toEqual(['p de', 'p de', 'p de', 'p de', 'p fr', 'p', 'p ar', 'p ja']);
  expect(
    languagesIn(inEnglish, inEnglish, inEnglish, inEnglish, inGerman, 'בבוקר עדיין היה ערפל מעל הנהר'),
  ).toEqual(['p', 'p', 'p', 'p', 'p de', 'p he']);
});

test('a quotation has the language of the text, and its paragraphs their own', () => {
  expect(languagesIn(inGerman, `> ${inArabic}\n>\n> Kurz`)).toEqual(['p de', 'blockquote de', 'p ar', 'p']);
});

test('a block that runs the other way than its text says so, also in a quotation and in a list', () => {
  expect(html(`${inGerman}\n\n> ${inArabic}\n\n- ${inArabic}\n\n${inGerman}`)).toMatch(
    /^<p lang="de">.*<p lang="ar" dir="rtl">.*<ul lang="ar" dir="rtl">.*<p lang="de">[^<]*<\/p>$/s,
  );
  expect(html(`${inArabic}\n\n${inArabic}\n\nGitHub`)).toMatch(
    /<p lang="ar">[^<]*<\/p>\n<p dir="ltr">GitHub/,
  );
});

test('a heading or paragraph that is too short to tell has the language of its text, if it has the same letters', () => {
  expect(languagesIn('## Kurz', inGerman, '## Ende')).toEqual(['h2 de', 'a', 'p de', 'h2 de', 'a']);
  expect(languagesIn(inArabic, inArabic, 'GitHub', 'نعم', 'عربي نص طويل هنا')).toEqual([
    ...['p ar', 'p ar', 'p', 'p ar', 'p ar'],
  ]);
  expect(languagesIn('عيد ميلاد جدتي')).toEqual(['p ar']);
});

test.each([
  'In the morning the fog still lay over the river, and nobody was to be seen on the bridge.',
  'In the morning the fog and the rain lay on the river, and they that came with the boats were in the mist. '.repeat(
    4,
  ),
  'Bonjour',
  '1 2 3',
  '',
])('no block of %j is said to be in another language than the page', words => {
  expect(html(words)).not.toContain('lang=');
});
