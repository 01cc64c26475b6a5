import { z } from 'zod';
import { operation } from '../operation.ts';

/** Connecting an account with one at the site's OpenID Connect provider (docs/hosting.md). */
export const openidOperations = {
  connectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary:
      'Begins to connect the caller’s account with the OpenID provider: answers the address that the browser must open.',
    output: z.object({ url: z.url() }),
  }),
  disconnectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Ends the connection of the caller’s account with the OpenID provider.',
  }),
};
