import type { feedOperations } from '../../contract/feeds.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import { endPersonalFeed, getPersonalFeed, makePersonalFeed } from './personal.ts';
import { listSoundPosts } from './sound-posts.ts';

export const feedHandlers: Handlers<typeof feedOperations> = {
  getPersonalFeed: async deps => ({
    feed: await getPersonalFeed(deps.db, accountOf(deps.viewer).id),
    hasSound: (await listSoundPosts(deps, deps.viewer, 1)).length > 0,
  }),
  makePersonalFeed: async deps => {
    const { feed, secret } = await makePersonalFeed(deps, accountOf(deps.viewer).id);
    // In the query, which our logs leave out.
    return { feed, url: `${deps.config.publicUrl}/feed.xml?key=${secret}` };
  },
  endPersonalFeed: async deps => {
    await endPersonalFeed(deps, accountOf(deps.viewer).id);
    return { feed: null };
  },
};
