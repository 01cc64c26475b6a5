import { expect, it } from 'vitest';
import { tagKey, tagName } from './tag-name.ts';

it('different spellings of a tag have the same key', () => {
  expect(tagName('  Café \u00a0 noir\n')).toBe('Café noir');
  expect(tagKey('CAFE\u0301  noir')).toBe(tagKey('café noir'));
  expect(tagKey('cafe noir')).not.toBe(tagKey('café noir'));
});
