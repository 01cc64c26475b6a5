import { expect, it } from 'vitest';
import type { Input, OperationName } from '../../contract/operations.ts';
import { setApprovedTags } from '../../server/accounts/members/decide.ts';
import { Sessions } from '../../server/accounts/sessions/sessions.ts';
import { internalInvocation, invoke } from '../../server/operations.ts';
import { setDefaultTags } from '../../server/settings/write.ts';
import { describeEngines } from '../support/engines.ts';
import { shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

type Scene = { s: Site; lucy: NonNullable<Person>; postId: string; commentId: string };

/** What a member may do to a post with the tag that they are about to lose. */
const acts: { [Name in OperationName]?: (scene: Scene) => Input<Name> } = {
  addComment: ({ postId }) => ({ postId, content: 'too late' }),
  deleteComment: ({ commentId }) => ({ commentId }),
  setLike: ({ postId }) => ({ postId, liked: true }),
};

const losses: Record<string, { tags: string[]; lose: (scene: Scene) => Promise<unknown> }> = {
  'an approved tag': { tags: ['family'], lose: ({ s, lucy }) => setApprovedTags(s.deps, lucy.id, []) },
  'a default tag': { tags: [], lose: ({ s }) => setDefaultTags(s.deps, []) },
};

async function writtenBy({ deps }: Site, { id }: NonNullable<Person>) {
  const [comments, likes] = await Promise.all([
    deps.db.selectFrom('comments').select('id').where('user_id', '=', id).execute(),
    deps.db.selectFrom('likes').select('post_id').where('user_id', '=', id).execute(),
  ]);
  return { comments, likes };
}

describeEngines(({ siteWithAdmin }) => {
  it.each(Object.keys(losses))(
    'a write that began before its member lost a tag is refused and writes nothing when they lost %s',
    async loss => {
      const { tags, lose } = losses[loss] ?? { tags: [], lose: async () => {} };
      const [s, admin] = await siteWithAdmin();
      await s.call(admin, 'addTag', { name: 'family' });
      if (tags.length === 0) await s.call(admin, 'setDefaultTags', { tags: ['family'] });
      const lucy = await s.member(tags, 'lucy');
      const { post } = await s.call(admin, 'createPost', shortPost('for the family', ['family']));
      const { comment } = await s.call(lucy, 'addComment', { postId: post.id, content: 'in time' });
      const scene = { s, lucy, postId: post.id, commentId: comment.id };
      const requestHeaders = new Headers({ cookie: lucy.cookie });
      const who = await new Sessions(s.deps).identify(requestHeaders, new Headers());
      const invocation = internalInvocation(s.deps, who, { requestHeaders });
      await lose(scene);
      const before = await writtenBy(s, lucy);
      for (const [name, inputOf] of Object.entries(acts)) {
        const code = await refusal(invoke(name as OperationName, inputOf(scene) as never, invocation));
        expect([name, code]).toEqual([name, 'aborted']);
      }
      expect(await writtenBy(s, lucy)).toEqual(before);
    },
  );

  it('a write that began before its member lost a tag is refused by a default tag that was given after it began, and taken away again', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addTag', { name: 'family' });
    const { post } = await s.call(admin, 'createPost', shortPost('for the family', ['family']));
    const lucy = await s.member([], 'lucy');
    const requestHeaders = new Headers({ cookie: lucy.cookie });
    const who = await new Sessions(s.deps).identify(requestHeaders, new Headers());
    await s.call(admin, 'setDefaultTags', { tags: ['family'] });
    const loadedThen = await s.deps.catalogue();
    await s.call(admin, 'setDefaultTags', { tags: [] });
    const invocation = internalInvocation(s.deps, who, { requestHeaders });
    const act = invoke(
      'addComment',
      { postId: post.id, content: 'too late' },
      { ...invocation, catalogue: async () => loadedThen },
    );
    expect(await refusal(act)).toBe('permission-denied');
  });
});
