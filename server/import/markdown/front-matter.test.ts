import { describe, expect, it } from 'vitest';
import { readFields, splitFrontMatter } from './front-matter.ts';

const fieldsOf = (text: string, timeZone = 'UTC') => readFields(splitFrontMatter(text), timeZone);

describe('splitFrontMatter', () => {
  it.each([
    ['YAML', '---\ntitle: A walk\n---\nText'],
    ['TOML', '+++\ntitle = "A walk"\n+++\nText'],
    ['JSON', '{\n  "title": "A walk", "extra": {"a": "}"}\n}\nText'],
    ['JSON between semicolons', ';;;\n"title": "A walk"\n;;;\nText'],
    ['YAML that ends with dots', '---\nTitle: A walk\n...\nText'],
  ])('reads %s', (_, text) => {
    const { fields, content } = splitFrontMatter(text);
    expect(fields.get('title')).toBe('A walk');
    expect(content).toBe('Text');
  });

  it.each([
    ['no front matter', 'Text'],
    ['a rule at the start', '---\n\nText'],
    ['a paragraph between rules', '---\nJust words\n---\nText'],
    ['braces that are no JSON', '{% include x %}\nText'],
  ])('takes a text with %s for content', (_, text) => {
    expect(splitFrontMatter(text)).toEqual({ fields: new Map(), content: text });
  });

  it('refuses what it cannot read, because it may say that the text is a draft', () => {
    expect(() => splitFrontMatter('---\ntitle: [a\ndraft: true\n---\nText')).toThrow(
      /front matter cannot be read/,
    );
    expect(() => splitFrontMatter('+++\ntitle = \n+++\nText')).toThrow(/front matter cannot be read/);
  });

  it('refuses aliases that multiply', () => {
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
});

describe('readFields', () => {
  it('keeps titles as they are written', () => {
    expect(fieldsOf('---\ntitle: 1.10\n---\n').title).toBe('1.10');
    expect(fieldsOf('---\ntitle: 007\n---\n').title).toBe('007');
    expect(fieldsOf('---\ntitle:\n---\n').title).toBeUndefined();
  });

  it('knows the names that generators use', () => {
    expect(fieldsOf('---\npubDate: 2020-05-17\n---\n').date).toBe(Date.UTC(2020, 4, 17));
    expect(fieldsOf('---\npublished_at: 2020-05-17T10:00:00Z\n---\n').date).toBe(Date.UTC(2020, 4, 17, 10));
    expect(fieldsOf('+++\ndate = 2020-05-17T10:00:00+02:00\n+++\n').date).toBe(Date.UTC(2020, 4, 17, 8));
    expect(fieldsOf('+++\ndate = 2020-05-17\n+++\n', 'Europe/Vienna').date).toBe(Date.UTC(2020, 4, 16, 22));
    expect(fieldsOf('---\nsummary: Short\n---\n').description).toBe('Short');
  });

  it('notes a date that it cannot understand', () => {
    expect(fieldsOf('---\ndate: someday\n---\n')).toMatchObject({
      date: undefined,
      notes: ['the date "someday" was not understood'],
    });
  });

  it('takes tags from lists, texts and numbers, of all names together', () => {
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
    ['title: x', false],
  ])('%s: a draft is %s', (line, isDraft) => {
    expect(fieldsOf(`---\n${line}\n---\n`).isDraft).toBe(isDraft);
  });
});
