import { expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';

it.each(['👨‍👩‍👧‍👦', 'กี้', '🇳🇱', '船'])(
  'an excerpt from a long text of %s begins with a whole character',
  character => {
    for (const before of ['', '一', '一二三', '一二三四五']) {
      const excerpt = excerptOf(`${before}${character.repeat(100)}码头。`, ['码头']);
      const shown = (excerpt ?? []).map(({ text }) => text).join('');
      expect(shown.slice(0, 1 + 2 * character.length)).toBe(`…${character}${character}`);
      expect(shown.endsWith('码头。')).toBe(true);
    }
  },
);
