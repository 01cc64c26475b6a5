import { z } from 'zod';
import { AllowedTags } from './audience.ts';
import { contentMaxCharacters } from './limits.ts';
import { operation } from './operation.ts';

const About = z.object({
  /** Markdown. */
  content: z.string(),
  /** Rendered and sanitised. */
  html: z.string(),
});
const DefaultTags = z.object({
  /** By name, deleted tags too: they go on letting everybody read (decisions.md 5). */
  tags: z.array(z.string()),
});

export const settingsOperations = {
  getSettings: operation({
    for: 'anyone',
    summary: 'What a page of the site shows around its posts.',
    input: z.strictObject({}).nullish(),
    output: z.object({
      title: z.string(),
      /** IANA name: dates are written in it, by server and browser alike (decisions.md 18). */
      timeZone: z.string(),
      about: About,
    }),
  }),
  saveAbout: operation({
    for: 'admin',
    summary: 'Saves the About text.',
    input: z.strictObject({
      content: z
        .string()
        .max(
          contentMaxCharacters,
          `The text has at most ${contentMaxCharacters.toLocaleString('en-US')} characters.`,
        )
        .refine(
          text => text.isWellFormed() && !text.includes('\0'),
          'The text holds characters that cannot be stored.',
        ),
    }),
    output: z.object({ about: About }),
  }),
  getDefaultTags: operation({
    for: 'admin',
    summary: 'The default tags: everybody may read posts that carry no other.',
    input: z.strictObject({}).nullish(),
    output: DefaultTags,
  }),
  setDefaultTags: operation({
    for: 'admin',
    summary: 'Makes exactly these the default tags.',
    input: z.strictObject({
      tags: AllowedTags,
      /** The default tags that the admin saw: others by now refuse the change. */
      seenTags: AllowedTags.optional(),
    }),
    output: DefaultTags,
  }),
};
