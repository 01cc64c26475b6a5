import type { settingsOperations } from '../../contract/settings.ts';
import type { Handlers } from '../handlers.ts';
import { getAbout } from './read.ts';

export const settingsHandlers: Handlers<typeof settingsOperations> = {
  getSettings: async ({ db, config }) => ({
    title: config.siteTitle,
    timeZone: config.timeZone,
    about: await getAbout(db),
  }),
};
