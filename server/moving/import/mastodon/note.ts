import { z } from 'zod';

const Addresses = z
  .union([z.string(), z.array(z.string())])
  .transform(value => [value].flat())
  .catch([]);
const Named = z.object({ name: z.string() });

/** The used fields of a post in ActivityPub (https://www.w3.org/TR/activitystreams-vocabulary/#dfn-note). */
export const Note = z.object({
  id: z.string(),
  type: z.string(),
  url: z.string().nullish().catch(null),
  published: z.string(),
  /** The warning before a text that is hidden at first. */
  summary: z.string().nullish().catch(null),
  content: z.string().nullish().catch(null),
  inReplyTo: z.string().nullish().catch(null),
  sensitive: z.boolean().nullish().catch(null),
  to: Addresses.default([]),
  cc: Addresses.default([]),
  attachment: z
    .array(
      z.object({ mediaType: z.string().catch(''), url: z.string(), name: z.string().nullish().catch(null) }),
    )
    .catch([]),
  oneOf: z.array(Named).optional().catch(undefined),
  anyOf: z.array(Named).optional().catch(undefined),
});
export type Note = z.output<typeof Note>;

/** An act of the archive's owner: they wrote something, or shared what somebody else wrote. */
export const Activity = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Create'), object: Note }),
  z.object({ type: z.literal('Announce') }),
]);

const everybody = new Set(['https://www.w3.org/ns/activitystreams#Public', 'as:Public', 'Public']);

/**
 * The audience of a post, as the name of a tag that nobody has yet (decision 32); undefined for
 * everybody.
 */
export function audienceOf({ to, cc }: Note): 'unlisted' | 'followers' | 'direct' | undefined {
  if (to.some(address => everybody.has(address))) return undefined;
  if (cc.some(address => everybody.has(address))) return 'unlisted';
  return [...to, ...cc].some(address => address.endsWith('/followers')) ? 'followers' : 'direct';
}
