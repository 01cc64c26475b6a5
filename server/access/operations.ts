import type { effectOperations } from '../../contract/effects.ts';
import type { Handlers } from '../deps.ts';
import {
  describeAudience,
  previewApprovedTags,
  previewDefaultTags,
  previewNewMember,
  previewPostTags,
} from './effects.ts';

export const effectHandlers: Handlers<typeof effectOperations> = {
  describeAudience: async (deps, { tags }) => await describeAudience(deps, tags),
  previewPostTags: async (deps, { tags, seenTags }) => await previewPostTags(deps, seenTags, tags),
  previewDefaultTags: async (deps, { tags }) => await previewDefaultTags(deps, tags),
  previewNewMember: async (deps, { tags }) => await previewNewMember(deps, tags),
  previewApprovedTags: async (deps, { userId, tags }) => await previewApprovedTags(deps, userId, tags),
};
