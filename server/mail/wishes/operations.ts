import type { wishOperations } from '../../../contract/wishes.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf } from '../../access/viewer.ts';
import { listWishes, setWish } from './wishes.ts';

export const wishHandlers: Handlers<typeof wishOperations> = {
  getMailWishes: async ({ db, viewer }) => await listWishes(db, viewer),
  setMailWish: async (deps, { kind, isOn }) => {
    await setWish(deps, accountOf(deps.viewer).id, kind, isOn);
    return await listWishes(deps.db, deps.viewer);
  },
};
