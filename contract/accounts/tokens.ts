import { z } from 'zod';
import { operation } from '../operation.ts';
import { Id, Moment, visible, writtenName } from '../values.ts';
import { TypedPassword } from './account.ts';

/** A personal access token as its owner sees it afterwards: the token itself is shown once, when it is made. */
export const AccessToken = z.object({
  id: Id,
  name: z.string(),
  createdAt: Moment,
  /** Null for one that does not expire. */
  expiresAt: Moment.nullable(),
  /** To the hour; null for one that nobody has used yet. */
  lastUsedAt: Moment.nullable(),
});
export type AccessToken = z.output<typeof AccessToken>;

export const tokenOperations = {
  listAccessTokens: operation({
    for: 'signed-in',
    summary: 'Your personal access tokens, newest first.',
    input: z.strictObject({}).nullish(),
    output: z.object({ tokens: z.array(AccessToken) }),
  }),
  createAccessToken: operation({
    for: 'approved',
    refusesTokens: true,
    summary: 'Makes a token with which a program acts as you. It is shown this once.',
    input: z.strictObject({
      name: writtenName('The name of a token', 100).pipe(
        visible('A name')
          .min(1, 'A token needs a name.')
          .max(100, 'The name of a token has at most 100 characters.'),
      ),
      /** Whoever finds an open session must not be able to keep it by a token. */
      currentPassword: TypedPassword,
      /** Null for one that does not expire. */
      expiresInDays: z.int().min(1).max(3_650).nullable().default(90),
    }),
    output: z.object({ token: z.string(), accessToken: AccessToken }),
  }),
  revokeAccessToken: operation({
    for: 'signed-in',
    summary: 'Ends a token at once. Safe to repeat.',
    input: z.strictObject({ tokenId: Id }),
    output: z.object({}),
  }),
};
