import { expect, it } from 'vitest';
import { dayOf, linkedSource, publishedAt } from './addresses.ts';

it('the day of a path is told, and no other numbers', () => {
  expect(dayOf('/blog/2019-03-12-a-walk')).toBe('2019-03-12');
  expect(dayOf('/2019/03/12/a-walk/')).toBe('2019-03-12');
  expect(dayOf('/2019/03/a-walk/')).toBe('2019-03-01');
  for (const path of ['/a-walk/', '/1234/56/x', '/route-66', '/2019/a', '/2019/13/01/', '/20190312x'])
    expect([path, dayOf(path)]).toEqual([path, undefined]);
});

it('a post was published where its front matter says and where its generator puts it', () => {
  expect(publishedAt('_posts/2020-05-17-a-walk.md', ['/walks/a/'])).toEqual([
    '/walks/a/',
    '/2020/05/17/a-walk.html',
  ]);
  expect(publishedAt('content/posts/a-walk/index.md', ['/:year/:title/', 'Another name'])).toEqual([
    '/posts/a-walk/',
  ]);
  expect(publishedAt('content/posts/b.md', ['https://old.example/b'])).toEqual([
    'https://old.example/b',
    '/posts/b/',
  ]);
  expect(publishedAt('notes/b.md', [])).toEqual([]);
});

it('an address without a slash at its start is from the root, or from the folder of its page', () => {
  expect(publishedAt('content/blog/walk.md', ['2019/walk', 'old/walk.html'])).toEqual([
    '/2019/walk',
    '/blog/2019/walk',
    '/old/walk.html',
    '/blog/old/walk.html',
    '/blog/walk/',
  ]);
  expect(publishedAt('content/blog/walk/index.md', ['a'])).toEqual(['/a', '/blog/a', '/blog/walk/']);
  expect(publishedAt('posts/walk.md', ['walks/a/index.html'])).toEqual(['/walks/a/index.html']);
  const others = [
    'pretty',
    'none',
    ':title',
    '{{ page.fileSlug }}/',
    'example.com/a',
    'mailto:a@b.c',
    '../a',
    '#a',
  ];
  expect(publishedAt('posts/walk.md', others)).toEqual([]);
});

it('a link finds the file that it means', () => {
  const sources = new Set(['a/b.md', 'a/c d/index.md', 'content/posts/e.md']);
  const find = (address: string) => linkedSource(address, 'a/x.md', sources);
  expect([find('b.md#part'), find('b'), find('c%20d/'), find('/a/b.md'), find('/posts/e.md')]).toEqual([
    'a/b.md',
    'a/b.md',
    'a/c d/index.md',
    'a/b.md',
    'content/posts/e.md',
  ]);
  expect([find('../../b.md'), find('gone.md'), find('#part')]).toEqual([undefined, undefined, undefined]);
});
