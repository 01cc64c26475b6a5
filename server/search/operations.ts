import type { searchOperations } from '../../contract/search.ts';
import type { Handlers } from '../access/context.ts';
import type { ArchiveCache } from '../access/years.ts';
import type { Limits } from '../limits/rate-limits.ts';
import { search } from './read.ts';

/**
 * A search is answered at the end of such a step, in milliseconds: its time must not reveal how many hidden
 * posts contain a word.
 */
const stepMs = 20;

export const searchHandlers: Handlers<
  typeof searchOperations,
  ArchiveCache & { limits: Limits; pause: (ms: number) => Promise<unknown> }
> = {
  search: async (deps, request) => {
    await deps.limits.countSearch(deps.viewer, deps.network);
    const start = performance.now();
    const answer = await search(deps, deps.viewer, request);
    if (deps.viewer.role !== 'admin') await deps.pause(stepMs - ((performance.now() - start) % stepMs));
    return answer;
  },
};
