import type { settingsOperations } from '../../contract/settings.ts';
import type { Handlers } from '../deps.ts';
import { defaultTagNames } from './read.ts';
import { saveAbout, setDefaultTags } from './write.ts';

export const settingsHandlers: Handlers<typeof settingsOperations> = {
  getSettings: async ({ about, config, mail }) => ({
    title: config.siteTitle,
    timeZone: config.timeZone,
    about: await about(),
    sendsMail: mail.kind === 'smtp',
    confirmsFirst: config.confirmsFirst,
  }),
  saveAbout: async (deps, { content, seenContent }) => ({
    about: await saveAbout(deps, content, seenContent),
  }),
  getDefaultTags: async ({ catalogue }) => ({ tags: defaultTagNames(await catalogue()) }),
  setDefaultTags: async (deps, { tags, seenTags }) => {
    const catalogue = await deps.catalogue();
    const seenTagIds = seenTags && catalogue.tagIdsOf(seenTags);
    await setDefaultTags(deps, catalogue.tagIdsOf(tags), seenTagIds);
    return { tags: defaultTagNames(await deps.catalogue()) };
  },
};
