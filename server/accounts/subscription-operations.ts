import type { subscriptionOperations } from '../../contract/accounts/subscription.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers } from '../deps.ts';
import { getSubscription, setSubscription } from './subscription.ts';

export const subscriptionHandlers: Handlers<typeof subscriptionOperations> = {
  getSubscription: ({ db, viewer }) => getSubscription(db, accountOf(viewer).id),
  setSubscription: async (deps, { subscribed }) => {
    const { id } = accountOf(deps.viewer);
    await setSubscription(deps, id, subscribed);
    return await getSubscription(deps.db, id);
  },
};
