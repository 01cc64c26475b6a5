import { expect, it } from 'vitest';
import { type Draft, holdsFile, inputOf } from './draft.ts';
import { withListedTags, withTags } from './draft-tags.ts';
import { emptyDraft, isSameDraft, isSameSave } from './post-fields.ts';

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

const family = { id: 'tag 1', name: 'family' };
const relatives = { id: 'tag 1', name: 'relatives' };
const trips = { id: 'tag 2', name: 'trips' };

it('tags are saved with the ids that are known, whatever is added and removed', () => {
  const one = withTags(emptyDraft, ['family', 'new'], [family, trips]);
  expect(inputOf(one, false)).toMatchObject({ tags: ['family', 'new'], tagIds: ['tag 1', null] });
  // The list of tags may know another tag by that name by now.
  const other = withTags(one, ['trips', 'family'], [trips, { id: 'tag 3', name: 'family' }]);
  expect(inputOf(other, false)).toMatchObject({ tags: ['trips', 'family'], tagIds: ['tag 2', 'tag 1'] });
});

it('a tag has its new name once that is known, and only once when the same name was typed', () => {
  const draft = withTags(emptyDraft, ['family', 'new'], [family]);
  expect(withListedTags(draft, [relatives]).tags).toEqual(['relatives', 'new']);
  expect(withListedTags(draft, [family, trips])).toBe(draft);
  expect(withListedTags(draft, [{ id: 'tag 1', name: 'New' }]).tags).toEqual(['New']);
});

it('a tag that was typed before the tags of the site were known is the tag of this name once they are', () => {
  const typed = withTags(emptyDraft, ['Family', 'new'], []);
  const named = withListedTags(typed, [family, trips]);
  expect(inputOf(named, false)).toMatchObject({ tags: ['family', 'new'], tagIds: ['tag 1', null] });
  expect(withListedTags(named, [relatives]).tags).toEqual(['relatives', 'new']);
  expect(withListedTags(named, [family, trips])).toBe(named);
  const { knownTags: _, ...older } = typed;
  expect(withListedTags(older as Draft, [family]).knownTags).toEqual([family]);
});

it('two drafts have the same tags if their ids are the same, or their names where an id is unknown', () => {
  const opened = withTags(emptyDraft, ['family'], [family]);
  const named = withTags(emptyDraft, ['relatives'], [relatives]);
  const typed = { ...emptyDraft, tags: ['Family'] };
  const { knownTags: _, ...older } = typed;
  const another = withTags(emptyDraft, ['family'], [{ id: 'tag 3', name: 'family' }]);
  for (const isSame of [isSameDraft, isSameSave]) {
    expect([named, typed, older as Draft, another].map(other => isSame(opened, other))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(isSame(typed, named)).toBe(false);
    expect(isSame(opened, withTags(opened, ['family', 'trips'], [trips]))).toBe(false);
  }
});

it('an alternative text that was removed, and one that was never written, are the same', () => {
  const withAlt = (alt?: string) => ({
    ...emptyDraft,
    content: 'Words',
    attachments: [{ ...attachment, ...(alt !== undefined && { alt }) }],
  });
  for (const isSame of [isSameDraft, isSameSave])
    expect([undefined, '', 'Ice'].map(alt => isSame(withAlt(alt), withAlt()))).toEqual([true, true, false]);
  // A process of an older version refuses one.
  expect(inputOf(withAlt(), false).attachments?.[0]).not.toHaveProperty('alt');
  expect(inputOf(withAlt(''), false).attachments).toMatchObject([{ alt: '' }]);
});
