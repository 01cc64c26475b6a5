import { z } from 'zod';
import { operation } from '../operation.ts';

/** How an account and one at the site's OpenID Connect provider are connected (docs/hosting.md). */
export const openidOperations = {
  connectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary:
      "Begins to connect the caller's account with the OpenID provider: answers where the browser goes.",
    input: z.strictObject({}).nullish(),
    output: z.object({ url: z.url() }),
  }),
  disconnectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: "Ends the connection of the caller's account with the OpenID provider.",
    input: z.strictObject({}).nullish(),
    output: z.object({}),
  }),
};
