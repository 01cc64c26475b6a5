import { z } from 'zod';
import { operation } from './operation.ts';
import { storable } from './values.ts';

const State = z.object({
  /** The key with which the site identifies itself to push services. */
  publicKey: z.string(),
  /** Whether this session is notified. */
  isOn: z.boolean(),
});

/** This many bytes as base64url without padding. */
const bytes = (count: number) => z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((count * 4) / 3)}}$`));

export const pushOperations = {
  getPush: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'Whether the caller’s browser is notified of new posts and answers.',
    output: State,
  }),
  startPush: operation({
    for: 'approved',
    scope: 'none',
    summary: 'Notifies the caller’s browser of new posts and answers, until the session ends.',
    /** The browser's description of its subscription (the Push API, RFC 8030 and 8291). */
    input: z.strictObject({
      endpoint: storable('The address of a push service').pipe(
        z
          .url({ protocol: /^https$/ })
          .max(2_000)
          .refine(address => URL.parse(address)?.port === '', 'A push service is at the port of HTTPS.')
          .refine(
            address => URL.parse(address)?.username === '',
            'The address of a push service names no user.',
          ),
      ),
      keys: z.strictObject({ p256dh: bytes(65), auth: bytes(16) }),
    }),
    output: State,
  }),
  stopPush: operation({
    for: 'signed-in',
    scope: 'none',
    summary: 'Stops notifying the caller’s browser. Safe to repeat.',
    output: State,
  }),
};
