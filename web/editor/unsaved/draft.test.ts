import { expect, it } from 'vitest';
import { type Draft, emptyDraft, holdsFile } from './draft.ts';

const ice = '/files/abcdefghijklmnop/ice.jpg';
const thaw = '/files/ponmlkjihgfedcba/thaw.mp4';
const attachment = {
  url: thaw,
  name: 'thaw.mp4',
  type: 'video/mp4',
  size: 1,
  description: '',
  thumbnail: ice,
};
const isHeld = (part: Partial<Draft>) => holdsFile({ ...emptyDraft, ...part }, ice);

it('a draft holds the files of its text and of its attachments, with their posters, and no others', () => {
  expect(isHeld({ content: `Before.\n\n![Ice](${ice})` })).toBe(true);
  expect(isHeld({ attachments: [{ ...attachment, url: ice, thumbnail: null }] })).toBe(true);
  expect(isHeld({ attachments: [attachment] })).toBe(true);
  expect(isHeld({})).toBe(false);
  expect(isHeld({ content: `[Video: thaw](${thaw})` })).toBe(false);
  expect(isHeld({ attachments: [{ ...attachment, thumbnail: null }] })).toBe(false);
});
