import { expect, it } from 'vitest';
import { readFields, splitFrontMatter } from './front-matter.ts';

const fieldsOf = (text: string, timeZone = 'UTC') => readFields(splitFrontMatter(text), timeZone);

it.each([
  ['YAML', '---\ntitle: A walk\n---\nText'],
  ['TOML', '+++\ntitle = "A walk"\n+++\nText'],
  ['JSON', '{\n  "title": "A walk", "extra": {"a": "}"}\n}\nText'],
  ['JSON between semicolons', ';;;\n"title": "A walk"\n;;;\nText'],
  ['YAML that ends with dots', '---\nTitle: A walk\n...\nText'],
])('splitFrontMatter reads %s', (_, text) => {
  const { fields, content } = splitFrontMatter(text);
  expect(fields.get('title')).toBe('A walk');
  expect(content).toBe('Text');
});

it.each([
  ['after blank lines', '\n \n---\ndraft: true\n---\nText'],
  ['after the mark of UTF-8', '\uFEFF---\ndraft: true\n---\nText'],
  ['of TOML after a blank line', '\n+++\ndraft = true\n+++\nText'],
  ['in a comment', '<!--\n---\ndraft: true\n---\n-->\nText'],
  ['after a comment', '<!-- words -->\n---\ndraft: true\n---\nText'],
])('splitFrontMatter reads front matter %s, as Hugo does', (_, text) => {
  const { fields, content } = splitFrontMatter(text);
  expect([fields.get('draft')?.toString(), content.trim()]).toEqual(['true', 'Text']);
});

it.each([
  ['no front matter', 'Text'],
  ['a comment at the start', '<!-- words -->\n\nText'],
  ['blank lines at the start', '\n\nText'],
  ['a rule at the start', '---\n\nText'],
  ['a paragraph between rules', '---\nJust words\n---\nText'],
  ['braces that are no JSON', '{% include x %}\nText'],
])('splitFrontMatter takes a text with %s for content', (_, text) => {
  expect(splitFrontMatter(text)).toEqual({ fields: new Map(), content: text });
});

it('splitFrontMatter refuses what it cannot read, because it may say that the text is a draft', () => {
  expect(() => splitFrontMatter('---\ntitle: [a\ndraft: true\n---\nText')).toThrow(
    /front matter cannot be read/,
  );
  expect(() => splitFrontMatter('+++\ntitle = \n+++\nText')).toThrow(/front matter cannot be read/);
});

it('splitFrontMatter refuses aliases that multiply', () => {
  const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (const [name, before] of [
    ['b', 'a'],
    ['c', 'b'],
    ['d', 'c'],
    ['e', 'd'],
  ] as const) {
    lines.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
  }
  expect(() => splitFrontMatter(`---\n${lines.join('\n')}\n---\n`)).toThrow(/front matter cannot be read/);
});

it('readFields keeps titles as they are written', () => {
  expect(fieldsOf('---\ntitle: 1.10\n---\n').title).toBe('1.10');
  expect(fieldsOf('---\ntitle: 007\n---\n').title).toBe('007');
  expect(fieldsOf('---\ntitle:\n---\n').title).toBeUndefined();
});

it('readFields knows the names that generators use', () => {
  expect(fieldsOf('---\npubDate: 2020-05-17\n---\n').date).toBe(Date.UTC(2020, 4, 17));
  expect(fieldsOf('---\npublished_at: 2020-05-17T10:00:00Z\n---\n').date).toBe(Date.UTC(2020, 4, 17, 10));
  expect(fieldsOf('+++\ndate = 2020-05-17T10:00:00+02:00\n+++\n').date).toBe(Date.UTC(2020, 4, 17, 8));
  expect(fieldsOf('+++\ndate = 2020-05-17\n+++\n', 'Europe/Vienna').date).toBe(Date.UTC(2020, 4, 16, 22));
  expect(fieldsOf('---\nsummary: Short\n---\n').description).toBe('Short');
});

it('readFields takes the latest date for that from which it is shown, and the date of expiry for its end', () => {
  const days = 'date: 2020-05-17\npublishDate: 2030-01-01\nexpiryDate: 2031-01-01';
  expect(fieldsOf(`---\n${days}\n---\n`)).toMatchObject({
    date: Date.UTC(2020, 4, 17),
    shown: { from: Date.UTC(2030, 0), until: Date.UTC(2031, 0) },
  });
});

it.each(['date: someday', 'date: 2020-05-17\npublishDate: soon', 'date: 2020-05-17\nexpiryDate: in May'])(
  'readFields holds back a text with a date that it cannot understand: %s',
  lines => {
    const { isDraft, notes } = fieldsOf(`---\n${lines}\n---\n`);
    expect({ isDraft, notes }).toEqual({
      isDraft: true,
      notes: [expect.stringMatching(/^the date “.*” was not understood: it is a draft here$/)],
    });
  },
);

it('readFields takes the names in the links of a vault for tags and authors', () => {
  const text =
    '---\nauthor: "[[People/Mina Harker|she]]"\ntags: ["[[Hills]]", [[Sea]], walks]\ndate: "[[2020-05-17]]"\n---\n';
  expect(fieldsOf(text)).toMatchObject({
    author: { names: ['Mina Harker'] },
    tags: ['Hills', 'Sea', 'walks'],
    date: Date.UTC(2020, 4, 17),
    isDraft: false,
  });
});

it('readFields says which field it does not know, but not of what its author calls a draft', () => {
  expect(fieldsOf('---\nvisibility: friends\n---\n').notes).toEqual([
    'it says “visibility: friends”: it is a draft here',
  ]);
  expect(fieldsOf('---\ndraft: true\n---\n').notes).toEqual([]);
});

it.each([
  ['Pelican', 'Title: A walk\nDate: 2020-05-17\nStatus: draft\nTags: hills,\n  sea\n\nText'],
  [
    'Nikola',
    '<!--\n.. title: A walk\n.. date: 2020-05-17\n.. status: private\n.. tags: hills, sea\n-->\n\nText',
  ],
])('readFields reads the head of %s, which has no rules around it', (_, text) => {
  const frontMatter = splitFrontMatter(text);
  expect(frontMatter.content.trim()).toBe('Text');
  expect(readFields(frontMatter, 'UTC')).toMatchObject({
    title: 'A walk',
    date: Date.UTC(2020, 4, 17),
    tags: ['hills', 'sea'],
    isDraft: true,
  });
});

it('readFields takes tags from lists, texts and numbers, of all names together', () => {
  expect(fieldsOf('---\ntags: [a, 2020]\ncategories: b, c\n---\n').tags).toEqual(['a', '2020', 'b', 'c']);
  expect(fieldsOf('{"tags": ["a, b", 7, ["c"]], "category": "a, b"}\n').tags).toEqual([
    'a, b',
    '7',
    'c',
    'a',
    'b',
  ]);
});

it.each([
  ['draft: true', true],
  ['draft: yes', true],
  ['draft: perhaps', true],
  ['draft: false', false],
  ['published: false', true],
  ['published: true', false],
  ['published: 2020-01-01', false],
  ['publish: false', true],
  ['publish: true', false],
  ['published: true\npublish: no', true],
  ['status: draft', true],
  ['status: publish', false],
  ['private: true', true],
  ['headless: true', true],
  ['headless: false', false],
  ['password: seaside', true],
  ['password:', false],
  ['permalink: false', true],
  ['permalink: /a-walk/', false],
  ['build:\n  render: never', true],
  ['_build:\n  render: link', true],
  ['build:\n  list: never', true],
  ['build:\n  list: always', false],
  ['draft: [true]', true],
  ['draft: [false]', false],
  ['draft:\n  is: true', true],
  ['isDraft: true', true],
  ['is_draft: 1', true],
  ['wip: true', true],
  ['hidden: true', true],
  ['hidden: false', false],
  ['unlisted: true', true],
  ['public: false', true],
  ['public: true', false],
  ['visibility: private', true],
  ['visibility: public', false],
  ['visibility: [public, members]', true],
  ['access: members', true],
  ['access:\n  level: paid', true],
  ['access: none', true],
  ['access: everyone', false],
  ['state: review', true],
  ['state: published', false],
  ['status: in review', true],
  ['members_only: true', true],
  ['dg-publish: false', true],
  ['dg-publish: true', false],
  ['requires-login: true', true],
  ['passwordHint: sea', true],
  ['roles: [family]', true],
  ['roles: []', false],
  ['params:\n  private: true', true],
  ['cover:\n  hidden: true', false],
  ['hide: true', true],
  ['hide: [toc]', false],
  ['hideSummary: true', false],
  ['accessibility: checked', false],
  ['readonly: true', false],
  ['title: x', false],
])('a text with %j in its front matter is a draft: %s', (line, isDraft) => {
  expect(fieldsOf(`---\n${line}\n---\n`).isDraft).toBe(isDraft);
});

it('a rule with a million blanks after it is no front matter', () => {
  const text = `---${' '.repeat(1_000_000)}x\n---\n`;
  expect(splitFrontMatter(text).content).toBe(text);
});
