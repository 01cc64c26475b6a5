import { expect, it } from 'vitest';
import { visibleName } from './tag-names.ts';

it('a name of dots alone, which a tag cannot have, is kept for its posts in parentheses', () => {
  expect(['.', ' ..', '...', 'a.b\u200b'].map(visibleName)).toEqual(['(.)', '(..)', '...', 'a.b']);
});
