import type { readingOperations } from '../../contract/reading.ts';
import type { Handlers } from '../deps.ts';
import { getArchive } from './archive.ts';
import { getNeighbours } from './neighbours.ts';

export const readingHandlers: Handlers<typeof readingOperations> = {
  getArchive: (deps, request) => getArchive(deps, deps.viewer, request),
  getNeighbours: (deps, { postId }) => getNeighbours(deps, deps.viewer, postId),
};
