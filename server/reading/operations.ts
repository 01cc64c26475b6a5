import type { readingOperations } from '../../contract/reading.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import type { ArchiveCache } from '../access/years.ts';
import { getArchive } from './archive.ts';
import { getKeptPosts } from './kept.ts';
import { getNeighbours } from './neighbours.ts';
import { getOnThisDay } from './on-this-day.ts';
import { forgetOpened, getReadingMarks, noteOpened } from './opened.ts';
import { readingSettings, setReadingSettings } from './settings.ts';

export const readingHandlers: Handlers<typeof readingOperations, ArchiveCache> = {
  getArchive: (deps, request) => getArchive(deps, deps.viewer, request),
  getNeighbours: (deps, { postId }) => getNeighbours(deps, deps.viewer, postId),
  getReadingSettings: async ({ db, viewer, settings }) => ({
    ...(await readingSettings(db, accountOf(viewer).id)),
    mayKeepOpened: (await settings()).keepsOpened === 'true',
  }),
  setReadingSettings: (deps, change) => setReadingSettings(deps, accountOf(deps.viewer).id, change),
  getOnThisDay: deps => getOnThisDay(deps, deps.viewer),
  noteOpened: async (deps, { postIds }) => {
    await noteOpened(deps, deps.viewer, postIds);
    return {};
  },
  getReadingMarks: (deps, { postIds }) => getReadingMarks(deps, deps.viewer, postIds),
  getKeptPosts: (deps, { postIds }) => getKeptPosts(deps, deps.viewer, postIds),
  forgetOpened: async deps => {
    await forgetOpened(deps, accountOf(deps.viewer).id);
    return {};
  },
};
