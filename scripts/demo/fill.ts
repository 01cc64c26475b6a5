import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { NewAccount } from '../../contract/accounts/sign-in.ts';
import { currentVisitor, viewerOfUser } from '../../server/access/viewer.ts';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { signUp } from '../../server/accounts/sign-in/sign-in.ts';
import { createId } from '../../server/base/id.ts';
import { type Tables, timeOf } from '../../server/db/tables.ts';
import { type Guards, unguarded } from '../../server/db/transaction.ts';
import type { Deps } from '../../server/deps.ts';
import { setLike } from '../../server/likes/write.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { internalInvocation } from '../../server/operations.ts';
import { listTimeline } from '../../server/posts/list.ts';
import { noteOpened } from '../../server/reading/opened.ts';
import { saveAbout } from '../../server/settings/write.ts';
import { ensureTags } from '../../server/tags/write.ts';
import { admin, comments, defaultTags, password, people } from './people.ts';

const hour = 60 * 60 * 1_000;

/**
 * Fills an empty site: accounts of every kind, the posts of `posts/` with their dates, comments, likes and
 * the About text.
 */
export async function fillDemo(opened: Deps): Promise<void> {
  const deps = { ...opened, ...unguarded };
  const ids = new Map<string, string>();
  ids.set(admin.username, await createAccount(deps, admin));
  await makeAdmin(deps, idOf(ids, admin.username));
  for (const person of people) {
    const id = await createAccount(deps, person);
    ids.set(person.username, id);
    if (person.status === 'approved') await approveUser(deps, id);
    if (person.status === 'denied') await denyUser(deps, id);
    await deps.db.transaction().execute(trx => grant(trx, id, person.tags));
  }
  await saveAbout(deps, await readFile(join(import.meta.dirname, 'about.md'), 'utf8'));
  await deps.db.transaction().execute(async trx => {
    const tags = await ensureTags(trx, defaultTags);
    await trx
      .insertInto('default_tags')
      .values(tags.map(tag_id => ({ tag_id })))
      .execute();
  });
  const source = await markdownSource(join(import.meta.dirname, 'posts'), (await deps.settings()).timeZone);
  const options = { authorId: idOf(ids, admin.username), isDryRun: false };
  for await (const item of runImport(deps, source, options)) {
    if (item.outcome !== 'created') throw new Error(`${item.source}: ${item.reason}`);
  }
  await writeComments(deps, ids);
  for (const person of people) await readAndLike(deps, idOf(ids, person.username));
}

async function createAccount(
  deps: Deps,
  fields: { username: string; name: string; email: string },
): Promise<string> {
  const account = NewAccount.parse({
    username: fields.username,
    name: fields.name,
    email: fields.email,
    password,
  });
  const id = await signUp(internalInvocation(deps, await currentVisitor(deps)), account);
  // Nobody uses the session that the sign-up began.
  await deps.db.deleteFrom('sessions').where('user_id', '=', id).execute();
  return id;
}

async function grant(trx: Kysely<Tables>, userId: string, tags: readonly string[]): Promise<void> {
  for (const tag_id of await ensureTags(trx, tags)) {
    await trx.insertInto('approved_tags').values({ user_id: userId, tag_id }).execute();
  }
}

async function writeComments({ db }: Deps, ids: ReadonlyMap<string, string>): Promise<void> {
  const sources = await db.selectFrom('imported').select(['source', 'target_id as post_id']).execute();
  for (const [start, thread] of Object.entries(comments)) {
    const post = sources.find(({ source }) => source.split('/').at(-1)?.startsWith(start));
    if (post === undefined) throw new Error(`No post starts with ${start}.`);
    await db.transaction().execute(async trx => {
      for (const [index, [username, content]] of thread.entries()) {
        await trx
          .insertInto('comments')
          .values({
            id: createId(),
            post_id: post.post_id,
            user_id: idOf(ids, username),
            content,
            created_at: Date.parse(`${start}T20:00:00Z`) + (index + 1) * 7 * hour,
          })
          .execute();
      }
      await trx
        .updateTable('posts')
        .set(eb => ({ comment_count: eb('comment_count', '+', thread.length) }))
        .where('id', '=', post.post_id)
        .execute();
    });
  }
}

/**
 * Lets every member have opened yesterday all but the two newest posts that they can read, and like some,
 * recent ones more often.
 */
async function readAndLike(deps: Deps & Guards, userId: string): Promise<void> {
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  if (viewer.role === 'visitor') return;
  const taste = viewer.user?.username.length ?? 0;
  for (const page of [1, 2]) {
    const { shared } = await listTimeline(deps, viewer, { page });
    const opened = shared.posts.slice(page === 1 ? 2 : 0).map(({ id }) => id);
    await noteOpened({ ...deps, clock: () => deps.clock() - 24 * hour }, viewer, opened);
    for (const [index, post] of shared.posts.entries()) {
      if ((index * 5 + taste) % (3 + page) !== 0) continue;
      const time = timeOf(post.publishedAt ?? post.createdAt) + (taste + index) * hour;
      await setLike({ ...deps, clock: () => time }, viewer, post.id, true);
    }
  }
}

function idOf(ids: ReadonlyMap<string, string>, username: string): string {
  const id = ids.get(username);
  if (id === undefined) throw new Error(`Nobody is called ${username}.`);
  return id;
}
