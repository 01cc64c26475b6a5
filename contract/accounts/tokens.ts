import { z } from 'zod';
import { operation, scopes } from '../operation.ts';
import { Id, Moment, visible, writtenName } from '../values.ts';

const Scopes = z
  .array(z.enum(scopes))
  .min(1, 'Choose at least one thing that the token may do.')
  .max(scopes.length);

/**
 * A personal access token as its owner sees it in the list: the token itself is shown only when it is made.
 */
export const AccessToken = z.object({
  id: Id,
  name: z.string(),
  createdAt: Moment,
  scopes: Scopes,
  /** Null for one that does not expire. */
  expiresAt: Moment.nullable(),
  /** To the hour; null if it has not been used yet. */
  lastUsedAt: Moment.nullable(),
  /** The IP address from which it was last used (of IPv6, its network). */
  lastUsedFrom: z.string().nullable(),
});
export type AccessToken = z.output<typeof AccessToken>;

export const tokenOperations = {
  listAccessTokens: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'The caller’s personal access tokens, newest first.',
    output: z.object({
      tokens: z.array(AccessToken),
      /** The most days that a token may be valid; null if it need not expire. */
      maxDays: z.int().nullable(),
    }),
  }),
  createAccessToken: operation({
    for: 'approved',
    scope: 'none',
    asksAgain: true,
    summary: 'Makes a token with which a program acts as the caller. It is shown only once.',
    input: z.strictObject({
      name: writtenName('The name of a token', 100).pipe(
        visible('A name')
          .min(1, 'A token needs a name.')
          .max(100, 'The name of a token has at most 100 characters.'),
      ),
      scopes: Scopes.default(['read']),
      /** Null for one that does not expire. */
      expiresInDays: z.int().min(1).max(3_650).nullable().default(90),
    }),
    output: z.object({ token: z.string(), accessToken: AccessToken }),
  }),
  revokeAccessToken: operation({
    for: 'signed-in',
    scope: 'members',
    summary: 'Revokes a token. Safe to repeat.',
    input: z.strictObject({ tokenId: Id }),
  }),
};
