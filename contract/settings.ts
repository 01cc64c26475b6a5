import { z } from 'zod';
import { contentMaxCharacters } from './constants.ts';
import { AllowedTagIds, AllowedTags } from './effects.ts';
import { carePieces, firstSteps } from './first-steps.ts';
import { operation } from './operation.ts';
import { SettingDescription } from './settings-page.ts';
import { SiteSettings, SomeSettings, settingsForReaders } from './site-settings.ts';
import { Id, Moment, SentPicture, storable, Version } from './values.ts';

const About = z.object({
  /**
   * Markdown: as written for admins, for others without what is not shown. Absent if it was not asked for.
   */
  content: z.string().optional(),
  /** For admins, with `content`. */
  version: Version.optional(),
  /** Rendered and sanitised. */
  html: z.string(),
  /** The first words, without markup. */
  excerpt: z.string(),
});
const DefaultTags = z.object({
  /** By name, deleted tags too: everybody may still read posts with them (decision 5). */
  tags: z.array(z.string()),
  version: Version,
});

const SettingsOfSite = z.object({
  /** The parts of the page Settings, as it shows them. */
  parts: z.array(z.object({ title: z.string(), settings: z.array(SettingDescription) })),
  values: SiteSettings,
  /** By setting: the environment variable that overrides it, so that it cannot be changed here. */
  lockedBy: z.record(z.string(), z.string()),
  /** Rises with each change. */
  version: z.int(),
  lastChange: z
    .object({
      at: Moment,
      by: z.string(),
      /** What it changed, as the history says it. */
      changes: z.array(z.object({ label: z.string(), before: z.string(), after: z.string() })),
    })
    .nullable(),
});
/** The version that the admin has seen: if a setting was changed since, the call is refused. */
const readVersion = z.int().nonnegative();

const FirstSteps = z.object({
  steps: z.array(z.object({ name: z.enum(firstSteps), isDone: z.boolean(), isLeftOut: z.boolean() })),
  /** What the step `care` still lacks. */
  careLacks: z.array(z.enum(carePieces)),
});

export const settingsOperations = {
  getSettings: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'What each page of the site shows around its content.',
    /** `withContent` adds the Markdown of the About text; pages show its HTML. */
    input: z.strictObject({ withContent: z.boolean().optional() }).nullish(),
    output: z.object({
      ...settingsForReaders,
      about: About,
      /** Without a mail server, no page says that mail will be sent (decision 28). */
      sendsMail: z.boolean(),
      /** The name of the OpenID provider that people may sign in with. */
      openidName: z.string().nullable(),
    }),
    caching: { dependsOn: () => ['settings'] },
  }),
  getSiteSettings: operation({
    for: 'admin',
    scope: 'read',
    summary: 'All settings of the site, and which of them the environment decides.',
    output: SettingsOfSite,
  }),
  saveSiteSettings: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Changes settings of the site; those that are left out stay.',
    input: z.strictObject({ values: SomeSettings, version: readVersion }),
    output: SettingsOfSite,
  }),
  getNewPostTags: operation({
    for: 'author',
    scope: 'read',
    summary: 'The tags with which the editor begins a new post of the caller.',
    output: z.object({ tags: z.array(z.string()), tagIds: z.array(Id) }),
  }),
  uploadSitePicture: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Stores a public picture for the settings and returns its name.',
    input: z.strictObject({
      kind: z.enum(['icon', 'cover']),
      bytes: SentPicture,
    }),
    output: z.object({ name: z.string() }),
  }),
  undoSiteSettings: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Undoes the last change of the settings.',
    input: z.strictObject({ version: readVersion }),
    output: SettingsOfSite,
  }),
  getFirstSteps: operation({
    for: 'admin',
    scope: 'read',
    summary: 'The first steps of a new site’s owner, and which of them are done or skipped.',
    output: FirstSteps,
  }),
  leaveOutFirstStep: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Skips one of the first steps.',
    input: z.strictObject({ step: z.enum(firstSteps) }),
    output: FirstSteps,
  }),
  saveAbout: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Saves the About text.',
    input: z.strictObject({
      content: storable('The text').max(
        contentMaxCharacters,
        `The text has at most ${contentMaxCharacters.toLocaleString('en-US')} characters.`,
      ),
      version: Version.optional(),
    }),
    output: z.object({ about: About }),
  }),
  getDefaultTags: operation({
    for: 'admin',
    scope: 'read',
    summary: 'The default tags: everybody may read posts that carry no other tags.',
    output: DefaultTags,
  }),
  setDefaultTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Replaces the default tags.',
    input: z.strictObject({
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      version: Version.optional(),
    }),
    output: DefaultTags,
  }),
};
