import type { effectOperations } from '../../contract/effects.ts';
import type { Handlers } from '../deps.ts';
import { refuseUnknownTags } from './author-tags.ts';
import {
  describeAudience,
  previewApprovedTags,
  previewDefaultTags,
  previewNewMember,
  previewPostTags,
} from './effects.ts';

export const effectHandlers: Handlers<typeof effectOperations> = {
  describeAudience: async (deps, { tags }) => {
    await refuseUnknownTags(deps, deps.viewer, tags);
    return await describeAudience(deps, tags);
  },
  previewPostTags: async (deps, { tags, seenTags }) => {
    await refuseUnknownTags(deps, deps.viewer, [...tags, ...seenTags]);
    return await previewPostTags(deps, seenTags, tags);
  },
  previewDefaultTags: async (deps, { tags }) => await previewDefaultTags(deps, tags),
  previewNewMember: async (deps, { tags }) => await previewNewMember(deps, tags),
  previewApprovedTags: async (deps, { userId, tags }) => await previewApprovedTags(deps, userId, tags),
};
