import type { feedOperations } from '../../contract/feeds.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import { endPersonalFeed, getPersonalFeed, makePersonalFeed } from './personal.ts';

export const feedHandlers: Handlers<typeof feedOperations> = {
  getPersonalFeed: async ({ db, viewer }) => ({ feed: await getPersonalFeed(db, accountOf(viewer).id) }),
  makePersonalFeed: async deps => {
    const { feed, secret } = await makePersonalFeed(deps, accountOf(deps.viewer).id);
    // In the query, which no log of ours holds.
    return { feed, url: `${deps.config.publicUrl}/feed.xml?key=${secret}` };
  },
  endPersonalFeed: async deps => {
    await endPersonalFeed(deps, accountOf(deps.viewer).id);
    return { feed: null };
  },
};
