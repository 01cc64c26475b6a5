import { isDeepStrictEqual } from 'node:util';
import { makeAccessToken } from '../../accounts/sessions/tokens.ts';
import type { Config } from '../../config.ts';
import { unguarded } from '../../db/transaction.ts';
import { openDeps } from '../../open-deps.ts';

/** What somebody has read: a call, and the token of whoever made it; without one a visitor. */
export type Read = { name: 'getTags' | 'getPosts' | 'getPost'; data: object; token?: string };

const mostReads = 50;
/** Each asks for the timeline, and for the posts that they opened last. */
const mostReaders = 5;

/**
 * What was read last, as the site keeps it to say what is new; beside it visitors' reads of the newest posts.
 * Makes a token for each reader, so this is for a copy of a site.
 */
export async function recordedReads(copy: Config): Promise<Read[]> {
  const { close, ...deps } = await openDeps(copy, { opening: 'nothing' });
  try {
    const opened = await deps.db
      .selectFrom('opened_posts')
      .select(['user_id', 'post_id'])
      .orderBy('opened_at', 'desc')
      .orderBy('post_id')
      .limit(mostReads)
      .execute();
    const tokens = new Map<string, string>();
    for (const userId of [...new Set(opened.map(row => row.user_id))].slice(0, mostReaders)) {
      const made = { name: 'upgrade', scopes: ['read' as const], expiresInDays: 1 };
      tokens.set(userId, (await makeAccessToken({ ...deps, ...unguarded }, userId, made)).token);
    }
    const newest = await deps.db
      .selectFrom('posts')
      .select('id')
      .where('published_at', 'is not', null)
      .orderBy('published_at', 'desc')
      .orderBy('id')
      .limit(mostReads)
      .execute();
    const asMembers = opened.flatMap(({ user_id, post_id }) => {
      const token = tokens.get(user_id);
      return token === undefined ? [] : [{ name: 'getPost' as const, data: { postId: post_id }, token }];
    });
    const reads: Read[] = [
      { name: 'getTags', data: {} },
      { name: 'getPosts', data: {} },
      ...[...tokens.values()].map(token => ({ name: 'getPosts' as const, data: {}, token })),
      ...asMembers,
      ...newest.map(({ id }) => ({ name: 'getPost' as const, data: { postId: id } })),
    ];
    return reads.slice(0, mostReads);
  } finally {
    await close();
  }
}

/** Sentences about the reads that two servers answer differently. */
export async function compareReads(reads: readonly Read[], older: string, newer: string): Promise<string[]> {
  const found: string[] = [];
  for (const read of reads) {
    const [before, after] = [await ask(older, read), await ask(newer, read)];
    const where = [...differences(before, after, '')];
    if (where.length === 0) continue;
    const who = read.token === undefined ? 'a visitor' : 'a member';
    found.push(`${read.name} ${JSON.stringify(read.data)}, asked by ${who}: ${where.slice(0, 5).join(', ')}`);
  }
  return found;
}

async function ask(site: string, { name, data, token }: Read): Promise<object> {
  const answer = await fetch(`${site}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ data }),
  });
  // The sentence of a refusal may change.
  return answer.ok ? { status: 200, ...(await answer.json()) } : { status: answer.status };
}

/** Where an answer is not what it was. A field that is new is no difference. */
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
