import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../contract/errors.ts';
import { makeAccessToken } from '../../accounts/sessions/tokens.ts';
import type { Config } from '../../config.ts';
import { unguarded } from '../../db/transaction.ts';
import type { Deps } from '../../deps.ts';
import { openDeps } from '../../open-deps.ts';

/** A call like those of readers: by a member with this token, or by a visitor. */
type RecordedCall = { name: 'getTags' | 'getPosts' | 'getPost'; data: object; token?: string };
type Opened = { user_id: string; post_id: string };

/** The most calls by members, and as many by visitors. */
const mostCalls = 25;
/** The most members who ask for the timeline and posts. */
const mostReaders = 5;
/** The readers are looked for among this many posts that were opened last. */
const mostOpened = 500;
/** How long a server may take to answer, in milliseconds. */
const answerWithinMs = 60_000;

/**
 * Calls by members for the posts they opened last, and by visitors for the newest posts. If the site does not
 * remember opened posts, the newest members ask for the newest posts. Makes a token for each of these
 * members, so use it only on a copy of a site.
 */
export async function recordedCalls(
  copy: Config,
): Promise<{ byMembers: RecordedCall[]; byVisitors: RecordedCall[] }> {
  const { close, ...deps } = await openDeps(copy, { opening: 'nothing' });
  try {
    const newest = await newestPosts(deps);
    const kept = await lastOpened(deps);
    const opened = kept.length > 0 ? kept : await asIfOpened(deps, newest);
    const byMembers: RecordedCall[] = [];
    const tokens = new Map<string, string>();
    for (const userId of [...new Set(opened.map(row => row.user_id))].slice(0, mostReaders)) {
      const made = { name: 'upgrade', scopes: ['read' as const], expiresInDays: 1 };
      const { token } = await makeAccessToken({ ...deps, ...unguarded }, userId, made);
      tokens.set(userId, token);
      byMembers.push({ name: 'getPosts', data: {}, token });
    }
    for (const { user_id, post_id } of opened) {
      const token = tokens.get(user_id);
      if (token !== undefined) byMembers.push({ name: 'getPost', data: { postId: post_id }, token });
    }
    const byVisitors: RecordedCall[] = [
      { name: 'getTags', data: {} },
      { name: 'getPosts', data: {} },
      ...newest.map(postId => ({ name: 'getPost' as const, data: { postId } })),
    ];
    return { byMembers: byMembers.slice(0, mostCalls), byVisitors: byVisitors.slice(0, mostCalls) };
  } finally {
    await close();
  }
}

async function newestPosts({ db }: Deps): Promise<string[]> {
  const rows = await db
    .selectFrom('posts')
    .select('id')
    .where('published_at', 'is not', null)
    .orderBy('published_at', 'desc')
    .orderBy('id')
    .limit(mostCalls)
    .execute();
  return rows.map(({ id }) => id);
}

async function lastOpened({ db }: Deps): Promise<Opened[]> {
  return await db
    .selectFrom('opened_posts')
    .select(['user_id', 'post_id'])
    .orderBy('opened_at', 'desc')
    .orderBy('post_id')
    .limit(mostOpened)
    .execute();
}

/** Pairs every post with each of some members, as if they had opened it. */
async function asIfOpened({ db }: Deps, postIds: readonly string[]): Promise<Opened[]> {
  const members = await db
    .selectFrom('users')
    .select('id')
    .where('status', '=', 'approved')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(mostReaders)
    .execute();
  return postIds.flatMap(post_id => members.map(({ id }) => ({ user_id: id, post_id })));
}

/** Sentences about calls that two servers answer differently. */
export async function compareCalls(
  calls: readonly RecordedCall[],
  olderUrl: string,
  newerUrl: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const call of calls) {
    const before = await ask(olderUrl, call);
    const after = await ask(newerUrl, call);
    const where = [...differences(before, after, '')];
    if (where.length === 0) continue;
    const who = call.token === undefined ? 'a visitor' : 'a member';
    found.push(`${call.name} ${JSON.stringify(call.data)}, asked by ${who}: ${where.slice(0, 5).join(', ')}`);
  }
  return found;
}

async function ask(url: string, { name, data, token }: RecordedCall): Promise<object> {
  const answer = await fetch(`${url}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ data }),
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error: Error) => {
    throw new AppError('unavailable', `A copy of the site does not answer ${name}: ${error.message}`);
  });
  // The message of a refusal may change.
  return answer.ok ? { status: 200, ...(await answer.json()) } : { status: answer.status };
}

/** Where two answers differ. A new field is no difference. */
function* differences(before: unknown, after: unknown, at: string): Generator<string> {
  if (!isObject(before) || !isObject(after)) {
    if (!isDeepStrictEqual(before, after)) yield at;
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length)
    yield `${at}: ${after.length} in place of ${before.length}`;
  else
    for (const [key, value] of Object.entries(before))
      yield* differences(value, after[key], at === '' ? key : `${at}.${key}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
