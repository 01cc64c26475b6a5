import { expect, it } from 'vitest';
import { JsonTemplate, SharedAnswer } from './shared-answer.ts';

const fields = new Set(['likeCount', 'isLiked', 'name']);
const answer = {
  posts: [
    { id: 'a', likeCount: 1, isLiked: false, tags: ['{"'], name: null },
    { id: 'b', title: undefined, likeCount: 2, isLiked: true },
  ],
  viewer: { name: 'A "quoted" \\ name' },
};

it('writes an answer as JSON as it was', () => {
  const template = new JsonTemplate(answer, fields);
  expect(template.fill(template.values)).toBe(JSON.stringify(answer));
});

it('fills in the values of each reader', () => {
  const template = new JsonTemplate({ posts: answer.posts }, fields);
  const own = [
    { likeCount: 7, isLiked: true },
    { likeCount: 0, isLiked: false },
  ];
  const values = template.valuesOf(new SharedAnswer({}, own));
  expect(JSON.parse(template.fill(values))).toEqual({
    posts: [
      { ...answer.posts[0], likeCount: 7, isLiked: true },
      { id: 'b', likeCount: 0, isLiked: false },
    ],
  });
});

it('throws if an answer has no value for its reader, rather than showing that of another one', () => {
  const template = new JsonTemplate(answer, fields);
  expect(() => template.valuesOf(new SharedAnswer({}, [{ likeCount: 7 }]))).toThrow('isLiked');
});

it('has the same digest whatever the values are, and another one if anything else differs', () => {
  const digest = (change: object) => new JsonTemplate({ ...answer.posts[0], ...change }, fields).digest;
  expect(digest({ likeCount: 9, isLiked: true })).toBe(digest({}));
  expect(digest({ id: 'c' })).not.toBe(digest({}));
  expect(digest({ name: 'a name' })).not.toBe(digest({}));
});
