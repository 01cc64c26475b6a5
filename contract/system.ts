import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** Work of one kind that waits for a process. */
const Queue = z.object({ waiting: z.int(), oldestAt: Moment.nullable() });

export const systemOperations = {
  getSystemState: operation({
    for: 'admin',
    scope: 'members',
    summary: 'The program, its database, its queues, and what about its environment should change.',
    output: z.object({
      version: z.string(),
      /** The newest migration that this version knows. */
      schema: z.string(),
      /** The database, as it names itself. */
      engine: z.string(),
      node: z.string(),
      role: z.enum(['all', 'web', 'worker']),
      startedAt: Moment,
      /** What this process takes, without the files that it has mapped. */
      memoryBytes: z.int(),
      freeBytes: z.int().nullable(),
      mails: Queue,
      transfers: Queue,
      /** Pictures, videos and sounds that are to be prepared. */
      files: Queue,
      /** The last unexpected errors of this process. The log has the rest under their ids. */
      errors: z.array(z.object({ at: Moment, id: z.string(), kind: z.string() })),
      warnings: z.array(z.string()),
    }),
  }),
};
