import type { effectOperations } from '../../contract/effects.ts';
import type { Handlers } from '../deps.ts';
import { allowedNames } from './author-tags.ts';
import {
  describeAudience,
  previewApprovedTags,
  previewDefaultTags,
  previewNewMember,
  previewPostTags,
} from './effects.ts';

export const effectHandlers: Handlers<typeof effectOperations> = {
  describeAudience: async (deps, { tags, tagIds }) =>
    await describeAudience(deps, await allowedNames(deps, tags, tagIds)),
  previewPostTags: async (deps, { tags, tagIds, seenTags, seenTagIds }) =>
    await previewPostTags(
      deps,
      await allowedNames(deps, seenTags, seenTagIds),
      await allowedNames(deps, tags, tagIds),
    ),
  previewDefaultTags: async (deps, { tags }) => await previewDefaultTags(deps, tags),
  previewNewMember: async (deps, { tags }) => await previewNewMember(deps, tags),
  previewApprovedTags: async (deps, { userId, tags }) => await previewApprovedTags(deps, userId, tags),
};
