import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, shortPost } from '../support/factories.ts';
import type { Site } from '../support/site.ts';

/** The id of a listed tag. */
async function idOf(s: Site, admin: Awaited<ReturnType<Site['admin']>>, name: string): Promise<string> {
  const { tags } = await s.call(admin, 'getManagedTags', {});
  return tags.find(tag => tag.name === name)?.id ?? '';
}

describeEngines(({ site, siteWithAdmin }) => {
  it('a tag that is renamed during an edit stays the same tag in a save with its id, also when another tag has its former name by now', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post: opened } = await s.call(admin, 'createPost', essay({ tags: ['trips', 'family'] }));
    expect(opened.tags).toEqual(['family', 'trips']);
    await s.call(admin, 'renameTag', { tagId: await idOf(s, admin, 'family'), name: 'relatives' });
    await s.call(admin, 'addTag', { name: 'family' });
    const { tagIds = [], ...rest } = opened;
    const { post } = await s.call(admin, 'updatePost', {
      ...essay({ tags: [...rest.tags, 'new'] }),
      tagIds: [...tagIds, null],
      postId: opened.id,
      version: opened.version,
    });
    expect(post.tags).toEqual(['new', 'relatives', 'trips']);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    expect(tags.find(({ name }) => name === 'family')?.publishedCount).toBe(0);
    // A program that knows no ids means names.
    const again = await s.call(admin, 'updatePost', { ...essay({ tags: ['family'] }), postId: opened.id });
    expect(again.post.tags).toEqual(['family']);
  });

  it('a tag that is renamed during an edit makes no other post of a save that is repeated', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addTag', { name: 'family' });
    const tagId = await idOf(s, admin, 'family');
    const input = { ...essay({ tags: ['family', 'new'] }), tagIds: [tagId, null], saveKey: 'a-save-key' };
    const first = await s.call(admin, 'createPost', input);
    await s.call(admin, 'renameTag', { tagId, name: 'relatives' });
    const again = await s.call(admin, 'createPost', input);
    expect(again.post).toMatchObject({ id: first.post.id, version: 1, tags: ['new', 'relatives'] });
  });

  it('a tag that is renamed during an edit is meant by its id also where the editor asks who may read the post', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member(['family'])];
    await s.member(['family']);
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const tagId = await idOf(s, admin, 'family');
    await s.call(admin, 'renameTag', { tagId, name: 'relatives' });
    const meant = { tags: ['family'], tagIds: [tagId] };
    for (const by of [admin, author]) {
      const readers = { memberCount: 2, restrictedBy: ['relatives'] };
      expect(await s.call(by, 'describeAudience', meant)).toMatchObject(readers);
      const unchanged = { wasPublic: false, isPublic: false, membersGained: 0, membersLost: 0 };
      const known = { seenTags: ['relatives'] };
      expect(await s.call(by, 'previewPostTags', { ...meant, ...known })).toEqual(unchanged);
      const seen = { seenTags: ['family'], seenTagIds: [tagId] };
      expect(await s.call(by, 'previewPostTags', { tags: ['relatives'], ...seen })).toEqual(unchanged);
    }
    // A program that knows no ids means names.
    expect((await s.call(admin, 'describeAudience', { tags: ['family'] })).memberCount).toBe(0);
    // Somebody who has lost the tag is not told its new name.
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: [] });
    await expect(s.call(author, 'describeAudience', meant)).rejects.toThrow('“family” is none of them');
  });

  it('a tag that is renamed during an edit tells an author nothing of its new name once they may not read it, and readers no ids', async () => {
    const s = await site();
    const [admin, author, member] = [await s.admin(), await s.member(['family']), await s.member(['family'])];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const tagId = await idOf(s, admin, 'family');
    const input = { ...shortPost('Mine.', ['family']), tagIds: [tagId] };
    const { post } = await s.call(author, 'createPost', input);
    expect(post.tagIds).toEqual([tagId]);
    const read = await s.call(member, 'getPost', { postId: post.id });
    expect(read.post).toMatchObject({ tags: ['family'] });
    expect(read.post).not.toHaveProperty('tagIds');

    await s.call(admin, 'renameTag', { tagId, name: 'relatives' });
    expect((await s.call(author, 'createPost', input)).post.tags).toEqual(['relatives']);
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: [] });
    await expect(s.call(author, 'createPost', input)).rejects.toThrow('“family” is none of them');
  });
});

describeEngines(({ site }) => {
  it('a tag that is renamed while a page gives it is given under its former name to nobody, nor another tag that has this name by now', async () => {
    const s = await site();
    const [admin, mina, lucy] = [await s.admin(), await s.signUp('mina'), await s.member([], 'lucy')];
    const [family = '', secrets = ''] = await Promise.all(
      ['family', 'secrets'].map(async name => (await s.call(admin, 'addTag', { name })).tag.id),
    );
    const terms = { tags: [], expiresInDays: 7, for: { uses: 2 } };
    const { made } = await s.call(admin, 'createInvitations', terms);
    const invitationId = made[0]?.invitation.id ?? '';
    const decision = { userId: mina.id, decision: 'approve' as const };
    const giving = (tags: { tags: string[]; tagIds: (string | null)[] }) => [
      () => s.call(admin, 'createInvitations', { ...terms, ...tags }),
      () => s.call(admin, 'setInvitationTags', { invitationId, ...tags }),
      () => s.call(admin, 'setApprovedTags', { userId: lucy.id, ...tags }),
      () => s.call(admin, 'decideUsers', { decisions: [{ ...decision, ...tags }] }),
      () => s.call(admin, 'approveUser', { userId: mina.id, ...tags }),
      () => s.call(admin, 'setDefaultTags', tags),
    ];
    const given = async () => {
      const tables = ['approved_tags', 'default_tags', 'invitation_tags'] as const;
      const rows = await Promise.all(
        tables.map(table => s.deps.db.selectFrom(table).select('tag_id').execute()),
      );
      return rows.flat().map(row => row.tag_id);
    };
    await s.call(admin, 'renameTag', { tagId: family, name: 'relatives' });
    for (const name of ['elsewhere', 'family']) {
      await s.call(admin, 'renameTag', { tagId: secrets, name });
      for (const give of giving({ tags: ['relatives', 'family'], tagIds: [null, family] })) {
        await expect(give()).rejects.toThrow('The tag “family” has been renamed in the meantime.');
      }
    }
    expect(await given()).toEqual([]);
    for (const give of giving({ tags: ['relatives', 'family'], tagIds: [family, null] })) await give();
    expect(new Set(await given())).toEqual(new Set([family, secrets]));
  });
});
