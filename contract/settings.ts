import { z } from 'zod';
import { contentMaxCharacters } from './constants.ts';
import { AllowedTagIds, AllowedTags } from './effects.ts';
import { operation } from './operation.ts';
import { storable, Version } from './values.ts';

const About = z.object({
  /**
   * Markdown: as written for admins, for all others without what does not show. Absent if it was not asked
   * for.
   */
  content: z.string().optional(),
  /** For admins, beside `content`. */
  version: Version.optional(),
  /** Rendered and sanitised. */
  html: z.string(),
  /** The first words, without markup. */
  excerpt: z.string(),
});
const DefaultTags = z.object({
  /** By name, deleted tags too: everybody may still read posts with them (decisions.md 5). */
  tags: z.array(z.string()),
  version: Version,
});

export const settingsOperations = {
  getSettings: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'What a page of the site shows around its posts.',
    /** `withContent` is for the Markdown of the About text; pages show its HTML. */
    input: z.strictObject({ withContent: z.boolean().optional() }).nullish(),
    output: z.object({
      title: z.string(),
      /** IANA name: dates are written in it, by server and browser alike (decisions.md 18). */
      timeZone: z.string(),
      about: About,
      /** Without a mail server, no page says that mail will be sent (decisions.md 28). */
      sendsMail: z.boolean(),
      /** Whether only accounts whose address is confirmed wait for approval. */
      confirmsFirst: z.boolean(),
      /** The name of the OpenID provider that people may sign in with. */
      openidName: z.string().nullable(),
      /** Whether posts name their authors: the same for every reader. */
      namesAuthors: z.boolean(),
    }),
    caching: { dependsOn: () => ['settings'] },
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
  setNamesAuthors: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Decides whether posts name their authors.',
    input: z.strictObject({ namesAuthors: z.boolean() }),
    output: z.object({ namesAuthors: z.boolean() }),
  }),
  getDefaultTags: operation({
    for: 'admin',
    scope: 'read',
    summary: 'The default tags: everybody may read posts that carry no other tags.',
    input: z.strictObject({}).nullish(),
    output: DefaultTags,
  }),
  setDefaultTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Makes exactly these the default tags.',
    input: z.strictObject({
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      version: Version.optional(),
    }),
    output: DefaultTags,
  }),
};
