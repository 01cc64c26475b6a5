import { z } from 'zod';
import { operation } from './operation.ts';

export const settingsOperations = {
  getSettings: operation({
    for: 'anyone',
    summary: 'What a page of the site shows around its posts.',
    input: z.object({}).nullish(),
    output: z.object({
      title: z.string(),
      /** IANA name: dates are written in it, by server and browser alike (decisions.md 18). */
      timeZone: z.string(),
      about: z.object({ content: z.string(), html: z.string() }),
    }),
  }),
};
