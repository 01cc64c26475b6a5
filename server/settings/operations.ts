import { pageExcerpt } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import type { settingsOperations } from '../../contract/settings.ts';
import { settingsPage } from '../../contract/settings-page.ts';
import { settingNames, variableOf } from '../../contract/site-settings.ts';
import { cutAtWord } from '../../contract/text.ts';
import { tagRefs } from '../access/audience.ts';
import type { Handlers, Invocation } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import { versionOf } from '../base/version.ts';
import { ffmpegIsMissing, hasFfmpeg } from '../files/videos/ffmpeg.ts';
import type { MailTransport } from '../mail/transport.ts';
import { describeFirstSteps, leaveOutStep } from './first-steps.ts';
import { newPostTags, requireNewPostTags } from './new-post-tags.ts';
import { storeSitePicture } from './pictures.ts';
import { type About, describeDefaultTags } from './read.ts';
import { changesOf, effective, readStored, saveSettings, undoSettings } from './site-settings.ts';
import { saveAbout, setDefaultTags } from './write.ts';

type SettingsContext = {
  about: () => Promise<About>;
  mail: Pick<MailTransport, 'kind'>;
  openid: { name: string } | undefined;
};

export const settingsHandlers: Handlers<typeof settingsOperations, SettingsContext> = {
  getSettings: async ({ about, mail, openid, settings, viewer }, input) => ({
    ...(await settings()),
    about: aboutFor(viewer, await about(), input?.withContent ?? true),
    sendsMail: mail.kind === 'smtp',
    openidName: openid?.name ?? null,
  }),
  getSiteSettings: describeSettings,
  saveSiteSettings: async (deps, { values, version }) => {
    await requireNewPostTags(deps, values.newPostTags);
    await saveSettings(deps, values, version);
    return await describeSettings(deps);
  },
  getNewPostTags: newPostTags,
  uploadSitePicture: async (deps, { kind, bytes }) => ({
    name: await storeSitePicture(deps, kind, Buffer.from(bytes, 'base64')),
  }),
  undoSiteSettings: async (deps, { version }) => {
    await undoSettings(deps, version);
    return await describeSettings(deps);
  },
  getFirstSteps: describeFirstSteps,
  leaveOutFirstStep: async (deps, { step }) => {
    await leaveOutStep(deps, step);
    return await describeFirstSteps(deps);
  },
  saveAbout: async (deps, { content, version }) => ({
    about: aboutFor(deps.viewer, await saveAbout(deps, content, version), true),
  }),
  getDefaultTags: async ({ catalogue }) => describeDefaultTags(await catalogue()),
  setDefaultTags: async (deps, { tags, tagIds, version }) => {
    const catalogue = await deps.catalogue();
    const defaultTagIds = new Set(catalogue.tagIdsOf(tagRefs(tags, tagIds)));
    await setDefaultTags(deps, [...defaultTagIds], version);
    // The tags that this call has set: another admin may have set others since.
    return describeDefaultTags({ tags: catalogue.tags, defaultTagIds });
  },
};

async function describeSettings({ db, config }: Pick<Invocation, 'db' | 'config'>) {
  const stored = await readStored(db);
  const fixed = settingNames.filter(name => config.fixedSettings[name] !== undefined);
  const { before } = stored;
  const values = effective(stored, config);
  return {
    parts: (await hasFfmpeg()) ? settingsPage : withoutFfmpeg,
    values,
    lockedBy: Object.fromEntries(fixed.map(name => [name, variableOf(name) ?? ''])),
    version: stored.version,
    lastChange: before
      ? { at: moment(before.at), by: before.by, changes: changesOf(effective(before, config), values) }
      : null,
  };
}

/** The page Settings, with a note on what the server lacks. */
const withoutFfmpeg = settingsPage.map(({ title, settings }) => ({
  title,
  settings: settings.map(one => (one.name === 'originals' ? { ...one, hint: ffmpegIsMissing } : one)),
}));

function aboutFor(viewer: Viewer, { content, html, readable, text }: About, withContent: boolean) {
  return {
    html,
    excerpt: cutAtWord(text, pageExcerpt),
    ...(withContent && { content: readable }),
    // Admins, who may edit the text, get the original, which they save again.
    ...(withContent && viewer.role === 'admin' && { content, version: versionOf(content) }),
  };
}
