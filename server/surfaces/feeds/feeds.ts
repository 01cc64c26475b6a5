import type { Context, Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import { currentVisitor, viewerOfUser } from '../../access/viewer.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Deps } from '../../deps.ts';
import { findPersonalFeed } from '../../feeds/personal.ts';
import type { RequestVariables } from '../../http/request.ts';
import { documentOf, sendDocument, type XmlDocuments } from '../xml-documents.ts';
import { feedPath, writeAtom } from './atom.ts';
import type { FeedReader } from './entries.ts';
import { podcastPath, writePodcast } from './podcast.ts';

const atomType = 'application/atom+xml';
const rssType = 'application/rss+xml';
const otherPaths = ['/feed', '/rss.xml'];

/**
 * `/feed.xml`: the newest posts that a visitor may read, as Atom, with `?tag=` those with a tag;
 * `/podcast.xml`: those with a sound or a video, as RSS. Feed readers have no session: with `?key=` these are
 * personal feeds, of all posts that the account may read.
 */
export function feedSurface(app: Hono<RequestVariables>, deps: Deps, documents: XmlDocuments): void {
  for (const path of otherPaths) app.get(path, c => c.redirect(feedPath, 301));
  app.get(feedPath, async c => {
    const secret = c.req.query('key');
    if (secret !== undefined)
      return await personalFeed(c, deps, secret, { type: atomType, write: writeAtom });
    const tag = c.req.query('tag') || undefined;
    return await documents.answer(c, atomType, `${feedPath}?${tag ?? ''}`, async dependsOn =>
      writeAtom(deps, { who: await currentVisitor(deps), tag }, dependsOn),
    );
  });
  app.get(podcastPath, async c => {
    const secret = c.req.query('key');
    if (secret !== undefined)
      return await personalFeed(c, deps, secret, { type: rssType, write: writePodcast });
    return await documents.answer(c, rssType, podcastPath, async dependsOn =>
      writePodcast(deps, { who: await currentVisitor(deps) }, dependsOn),
    );
  });
}

type Format = { type: string; write: (deps: Deps, reader: FeedReader) => Promise<string> };

/**
 * The feed of the account with this secret, by its current rights; it is made for each request. Throws
 * not-found for an unknown or ended secret.
 */
async function personalFeed(
  c: Context<RequestVariables>,
  deps: Deps,
  secret: string,
  { type, write }: Format,
): Promise<Response> {
  const { network } = c.var.requestIdentity;
  const userId = await deps.limits.lookUp(network, () => findPersonalFeed(deps, secret));
  // The secret must not be sent to a page that a reader opens from here.
  c.header('referrer-policy', 'no-referrer');
  c.header('x-robots-tag', 'noindex');
  const gone = new AppError('not-found', 'There is no such feed. Its owner may have made another one.');
  if (userId === undefined) throw gone;
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  if (viewer.role === 'visitor') throw gone;
  await deps.limits.countFeed(userId);
  const feed = { userId, digest: digestOf(secret) };
  const written = await write(deps, { who: { viewer, credential: null }, feed });
  return sendDocument(c, documentOf(written), type, 'private, no-store');
}
