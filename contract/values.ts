import { z } from 'zod';

/** Ids are opaque: random, so that they tell nothing of how many others there are (decisions.md 3). */
export const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'This is not an id.');

/** A moment as ISO 8601 in UTC. */
export const Moment = z.iso.datetime();
