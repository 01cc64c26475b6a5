import { expect, it } from 'vitest';
import { AnswerTemplate, SharedAnswer } from './shared-answer.ts';

const ownFields = new Set(['likeCount', 'isLiked']);
const answer = {
  posts: [
    { id: 'a', likeCount: 1, isLiked: false, tags: ['{"'], name: null },
    { id: 'b', title: undefined, likeCount: 2, isLiked: true },
  ],
};

const own = [
  { likeCount: 7, isLiked: true },
  { likeCount: 0, isLiked: false },
];
const filled = {
  posts: [
    { ...answer.posts[0], likeCount: 7, isLiked: true },
    { id: 'b', likeCount: 0, isLiked: false },
  ],
};

it('a shared answer writes the own fields of each reader into the JSON that they share', () => {
  const template = new AnswerTemplate(answer, ownFields);
  expect(JSON.parse(template.fill(new SharedAnswer({}, own)))).toEqual(filled);
});

it('a shared answer gives each reader a copy of their own, which is what its JSON says', () => {
  const template = new AnswerTemplate(answer, ownFields);
  const copy = template.copyFor(new SharedAnswer({}, own));
  expect(copy).toStrictEqual(filled);
  copy.posts.pop();
  copy.posts[0]?.tags?.push('another');
  expect(template.copyFor(new SharedAnswer({}, own))).toStrictEqual(filled);
});

it('a shared answer throws if an answer has no value for its reader, rather than showing that of another one', () => {
  const template = new AnswerTemplate(answer, ownFields);
  expect(() => template.fill(new SharedAnswer({}, [{ likeCount: 7 }]))).toThrow('isLiked');
});
