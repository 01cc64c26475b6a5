import type { audienceOperations } from '../../contract/audience.ts';
import type { Handlers } from '../deps.ts';
import { describeAudience, previewApprovedTags, previewDefaultTags, previewPostTags } from './read.ts';

export const audienceHandlers: Handlers<typeof audienceOperations> = {
  describeAudience: async (deps, { tags }) => await describeAudience(deps, tags),
  previewPostTags: async (deps, { tags, seenTags }) => await previewPostTags(deps, seenTags, tags),
  previewDefaultTags: async (deps, { tags }) => await previewDefaultTags(deps, tags),
  previewApprovedTags: async (deps, { userId, tags }) => await previewApprovedTags(deps, userId, tags),
};
