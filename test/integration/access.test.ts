import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { mayRead } from '../../server/access/audience.ts';
import { type Viewer, visitor } from '../../server/access/viewer.ts';
import { listTimeline } from '../../server/posts/list.ts';
import { getPost } from '../../server/posts/read.ts';
import { listTags } from '../../server/tags/read.ts';
import { ensureTagSet, ensureTags } from '../../server/tags/write.ts';
import { describeEngines } from '../support/engines.ts';
import { insertUser } from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** bars.md: 10,000 decisions a run on each engine, none wrong. */
const sites = 40;
const viewersPerSite = 8;
const postsPerSite = 32;

const tagNames = ['friends', 'family', 'travel', 'code', 'notes', 'secret'];
const tags = fc.subarray(tagNames);
const role = fc.constantFrom('visitor', 'member', 'author', 'admin' as const);
/** Two authors: what one wrote is not the other's. */
const person = fc.constantFrom('mina', 'lucy' as const);
type PostShape = { tags: string[]; isPublished: boolean; author: string | null };

const scenario = fc.record({
  posts: fc.array(fc.record({ tags, isPublished: fc.boolean(), author: fc.option(person) }), {
    minLength: postsPerSite,
    maxLength: postsPerSite,
  }),
  defaults: fc.subarray(tagNames, { maxLength: 2 }),
  viewers: fc.array(fc.record({ role, approved: tags, id: person }), {
    minLength: viewersPerSite,
    maxLength: viewersPerSite,
  }),
  filter: tags,
});

/** The rule as the specification writes it (section 6), on names, sharing nothing with the program. */
type Shape = { role: Viewer['role']; approved: string[]; id: string };

function oracle(viewer: Shape, defaults: string[], post: PostShape): boolean {
  if (viewer.role === 'author' && viewer.id === post.author) return true;
  return oracleOfTags(viewer, defaults, post);
}

/** What lists for everybody show, an author's own posts like any others. */
function oracleOfTags(viewer: Shape, defaults: string[], post: PostShape): boolean {
  if (viewer.role === 'admin') return true;
  if (!post.isPublished) return false;
  const allowed = viewer.role !== 'visitor' ? [...defaults, ...viewer.approved] : defaults;
  return post.tags.filter(tag => !allowed.includes(tag)).length === 0;
}

describeEngines(({ site }) => {
  it('1, 4. the access rule agrees with the oracle in every list, count, page and decision', async () => {
    const s = await site();
    const { db } = s.deps;
    const tagIds = await db.transaction().execute(trx => ensureTags(trx, tagNames));
    const idOf = new Map((await db.selectFrom('tags').selectAll().execute()).map(tag => [tag.name, tag.id]));
    expect(tagIds).toHaveLength(tagNames.length);
    for (const id of ['mina', 'lucy']) {
      await insertUser(db, { username: id, name: id, id });
    }
    let decisions = 0;

    await fc.assert(
      fc.asyncProperty(scenario, async ({ posts, defaults, viewers, filter }) => {
        const ids = await fill(s, posts, defaults, idOf);
        const check = async (shape: (typeof viewers)[number]) => {
          const viewer = viewerOf(shape, defaults, idOf);
          const readable = posts.map(post => oracle(shape, defaults, post));
          const listed = posts.map(
            post =>
              oracleOfTags(shape, defaults, post) &&
              post.isPublished &&
              (filter.length === 0 || post.tags.some(tag => filter.includes(tag))),
          );

          const found: string[] = [];
          for (let page = 1, more = true; more; page += 1) {
            const { shared } = await listTimeline(s.deps, viewer, { page, tags: filter });
            found.push(...shared.posts.map(post => post.id));
            more = shared.hasNextPage;
          }
          expect(found).toEqual(ids.filter((_, index) => listed[index]).toReversed());

          const answers = await Promise.all(
            ids.map(id => getPost(s.deps, viewer, id).catch(refusal => refusal as AppError)),
          );
          for (const [index, post] of posts.entries()) {
            const names = post.tags.map(tag => idOf.get(tag) ?? '');
            const ruled = { isPublished: post.isPublished, tagIds: names, authorId: post.author };
            expect(mayRead(viewer, ruled)).toBe(readable[index]);
            const answer = answers[index];
            const why = post.isPublished ? 'permission-denied' : 'not-found';
            expect(answer instanceof AppError ? answer.code : answer?.id).toBe(
              readable[index] ? ids[index] : why,
            );
            decisions += 1;
          }

          const counted = new Map<string, number>();
          for (const post of posts) {
            if (!oracleOfTags(shape, defaults, post) || !post.isPublished) continue;
            for (const tag of post.tags) counted.set(tag, (counted.get(tag) ?? 0) + 1);
          }
          const shown = listTags(await s.deps.catalogue(), viewer).filter(tag => tag.postCount > 0);
          expect(Object.fromEntries(shown.map(tag => [tag.name, tag.postCount]))).toEqual(
            Object.fromEntries(counted),
          );
        };
        // All at once: the engines answer side by side what they would answer in turn.
        await Promise.all(viewers.map(check));
      }),
      { numRuns: sites },
    );
    expect(decisions).toBeGreaterThanOrEqual(10_000);
  });
});

function viewerOf(shape: Shape, defaults: string[], idOf: Map<string, string>): Viewer {
  const ids = (names: string[]) => names.map(name => idOf.get(name) ?? '');
  if (shape.role === 'visitor') return visitor(new Set(ids(defaults)));
  const user = {
    id: shape.id,
    username: 'somebody',
    name: 'Some Body',
    email: 's@example.com',
    isEmailConfirmed: true,
    mustConfirmEmail: false,
    isMuted: false,
    status: 'approved' as const,
    needsSecondFactor: false,
  };
  return { user, role: shape.role, tagIds: new Set([...ids(defaults), ...ids(shape.approved)]) };
}

/** Replaces the site's posts and default tags. Returns the ids of the posts, in order of publication. */
async function fill(
  s: Site,
  posts: PostShape[],
  defaults: string[],
  idOf: Map<string, string>,
): Promise<string[]> {
  const { db } = s.deps;
  const ids = posts.map((_, index) => `post-${String(index).padStart(4, '0')}`);
  await db.transaction().execute(async trx => {
    await trx.deleteFrom('posts').execute();
    await trx.updateTable('tag_sets').set({ published_count: 0 }).execute();
    await trx.deleteFrom('default_tags').execute();
    for (const name of defaults)
      await trx
        .insertInto('default_tags')
        .values({ tag_id: idOf.get(name) ?? '' })
        .execute();
    for (const [index, post] of posts.entries()) {
      const setId = await ensureTagSet(
        trx,
        post.tags.map(tag => idOf.get(tag) ?? ''),
      );
      await trx
        .insertInto('posts')
        .values({
          id: ids[index] ?? '',
          type: 'short',
          title: null,
          description: null,
          tag_set_id: setId,
          author_id: post.author,
          created_at: index,
          updated_at: null,
          // Pairs share a moment, so that ties are broken by id.
          published_at: post.isPublished ? Math.floor(index / 2) : null,
          content: 'x',
          html: 'x',
          text: 'x',
        })
        .execute();
      if (post.isPublished) {
        await trx
          .updateTable('tag_sets')
          .set(eb => ({ published_count: eb('published_count', '+', 1) }))
          .where('id', '=', setId)
          .execute();
      }
    }
  });
  return ids;
}
