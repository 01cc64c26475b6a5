import type { subscriptionOperations } from '../../contract/subscriptions.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers } from '../handlers.ts';
import { getSubscription } from './read.ts';
import { setSubscription } from './write.ts';

export const subscriptionHandlers: Handlers<typeof subscriptionOperations> = {
  getSubscription: ({ db, viewer }) => getSubscription(db, accountOf(viewer).id),
  setSubscription: async (deps, { subscribed }) => {
    const { id } = accountOf(deps.viewer);
    await setSubscription(deps, id, subscribed);
    return await getSubscription(deps.db, id);
  },
};
