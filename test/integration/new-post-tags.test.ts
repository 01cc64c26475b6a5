import { expect, it } from 'vitest';
import type { SomeSettings } from '../../contract/site-settings.ts';
import { describeEngines } from '../support/engines.ts';
import { postByMail } from '../support/post-by-mail.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

async function save(s: Site, admin: Person, values: SomeSettings): Promise<void> {
  const { version } = await s.call(admin, 'getSiteSettings', {});
  await s.call(admin, 'saveSiteSettings', { values, version });
}

describeEngines(({ site }) => {
  it('a new post begins with the tags of the settings, for an author with those that they may read', async () => {
    const s = await site();
    const { admin, lucy } = await postByMail(s);
    const member = await s.member(['Family', 'Trips']);
    const tagsOf = async (person: Person) => (await s.call(person, 'getNewPostTags', {})).tags;
    expect(await tagsOf(admin)).toEqual([]);
    await expect(save(s, admin, { newPostTags: 'Famly' })).rejects.toThrow('There is no tag “Famly”.');
    await save(s, admin, { newPostTags: ' family,Trips , ' });
    expect(await tagsOf(admin)).toEqual(['Family', 'Trips']);
    expect(await tagsOf(lucy)).toEqual([]);
    expect(await refusal(tagsOf(member))).toBe('permission-denied');
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: ['Trips'] });
    expect(await tagsOf(lucy)).toEqual(['Trips']);

    // It stays the same tag with another name, when it is merged, and when the settings go a step back.
    const { tags } = await s.call(admin, 'getManagedTags', {});
    const [family = '', trips = ''] = tags.map(({ id }) => id);
    await s.call(admin, 'renameTag', { tagId: family, name: 'Relatives' });
    expect(await tagsOf(admin)).toEqual(['Relatives', 'Trips']);
    await save(s, admin, { newPostTags: '' });
    const merge = { tagId: family, intoId: trips };
    await s.call(admin, 'mergeTag', { ...merge, seen: await s.call(admin, 'previewTagMerge', merge) });
    const { version } = await s.call(admin, 'getSiteSettings', {});
    const { values } = await s.call(admin, 'undoSiteSettings', { version });
    expect(values.newPostTags).toBe('Trips');
    // An admin’s post is not opened by the deletion of a tag; an author may not bring the tag back.
    await s.call(admin, 'deleteTag', { tagId: trips });
    expect([await tagsOf(admin), await tagsOf(lucy)]).toEqual([['Trips'], []]);
  });

  it('a post by mail has the tags of a new post, and is a draft if its author may not use all of them', async () => {
    const s = await site();
    const { admin, lucy, make, send, posts } = await postByMail(s);
    await s.member(['Family']);
    await save(s, admin, { newPostTags: 'Family' });
    const address = await make(true);
    await send(address);
    expect(await posts()).toMatchObject([{ isDraft: true, tags: [] }]);
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: ['Family'] });
    await send(address, { 'Message-ID': '<2@phone.example>' });
    const published = (await posts()).filter(post => !post.isDraft);
    expect(published).toMatchObject([{ tags: ['Family'] }]);
  });
});
