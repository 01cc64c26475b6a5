import { pageExcerpt } from '../../contract/constants.ts';
import type { settingsOperations } from '../../contract/settings.ts';
import { cutAtWord } from '../../contract/text.ts';
import type { Handlers } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import { versionOf } from '../base/version.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import { inTransaction } from '../db/transaction.ts';
import type { MailTransport } from '../mail/transport.ts';
import { type About, describeDefaultTags } from './read.ts';
import { saveAbout, setDefaultTags } from './write.ts';

type SettingsContext = {
  about: () => Promise<About>;
  mail: Pick<MailTransport, 'kind'>;
  openid: { name: string } | undefined;
};

export const settingsHandlers: Handlers<typeof settingsOperations, SettingsContext> = {
  getSettings: async ({ about, config, db, mail, openid, viewer }, input) => ({
    title: config.siteTitle,
    timeZone: config.timeZone,
    about: aboutFor(viewer, await about(), input?.withContent ?? true),
    sendsMail: mail.kind === 'smtp',
    confirmsFirst: config.confirmsFirst,
    openidName: openid?.name ?? null,
    namesAuthors: (await readSetting(db, 'names-authors')) === 'true',
  }),
  saveAbout: async (deps, { content, version }) => ({
    about: aboutFor(deps.viewer, await saveAbout(deps, content, version), true),
  }),
  setNamesAuthors: async (deps, { namesAuthors }) => {
    await inTransaction(deps, trx => writeSetting(trx, 'names-authors', String(namesAuthors)));
    return { namesAuthors };
  },
  getDefaultTags: async ({ catalogue }) => describeDefaultTags(await catalogue()),
  setDefaultTags: async (deps, { tags, tagIds, version }) => {
    const catalogue = await deps.catalogue();
    const defaultTagIds = new Set(catalogue.tagIdsOf(tags, tagIds));
    await setDefaultTags(deps, [...defaultTagIds], version);
    // What this call has set: another admin may have set others since.
    return describeDefaultTags({ tags: catalogue.tags, defaultTagIds });
  },
};

function aboutFor(viewer: Viewer, { content, html, readable, text }: About, withContent: boolean) {
  return {
    html,
    excerpt: cutAtWord(text, pageExcerpt),
    ...(withContent && { content: readable }),
    // Admins, who may edit the text, get what they will save again.
    ...(withContent && viewer.role === 'admin' && { content, version: versionOf(content) }),
  };
}
