import { expect, it } from 'vitest';
import { routeAt } from './routes.ts';

it.each(['a/b', '%2F', 'a%2Fb', '100%', '日記'])('the page of the tag %s is found by its address', tag => {
  expect(routeAt(`/tags/${encodeURIComponent(tag)}`)?.params).toEqual({ tag });
});
