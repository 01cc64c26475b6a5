import { z } from 'zod';
import { operation } from '../operation.ts';
import { TypedPassword } from './account.ts';

/** How an account and one at the site's OpenID Connect provider are connected (docs/hosting.md). */
export const openidOperations = {
  connectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    summary:
      "Begins to connect the caller's account with the OpenID provider: answers where the browser goes.",
    /** The password, for an account that has one. */
    input: z.strictObject({ currentPassword: TypedPassword.optional() }),
    output: z.object({ url: z.url() }),
  }),
  disconnectOpenid: operation({
    for: 'signed-in',
    scope: 'none',
    summary: "Ends the connection of the caller's account with the OpenID provider.",
    input: z.strictObject({}).nullish(),
    output: z.object({}),
  }),
};
