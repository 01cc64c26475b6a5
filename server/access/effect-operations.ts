import type { effectOperations } from '../../contract/effects.ts';
import { tagRefs } from './audience.ts';
import { tagNamer } from './author-tags.ts';
import type { Handlers } from './context.ts';
import {
  describeAudience,
  listReaders,
  type MemberContext,
  previewApprovedTags,
  previewDefaultTags,
  previewNewMember,
  previewPostTags,
} from './effects.ts';

export const effectHandlers: Handlers<typeof effectOperations, MemberContext> = {
  describeAudience: async (deps, { tags, tagIds }) => {
    const namesOf = await tagNamer(deps);
    return await describeAudience(deps, namesOf(tagRefs(tags, tagIds)));
  },
  listReaders: async (deps, { tags, tagIds }) => {
    const namesOf = await tagNamer(deps);
    return await listReaders(deps, namesOf(tagRefs(tags, tagIds)));
  },
  previewPostTags: async (deps, { tags, tagIds, seenTags, seenTagIds }) => {
    const namesOf = await tagNamer(deps);
    return await previewPostTags(
      deps,
      namesOf(tagRefs(seenTags, seenTagIds)),
      namesOf(tagRefs(tags, tagIds)),
    );
  },
  previewDefaultTags: async (deps, { tags }) => await previewDefaultTags(deps, tags),
  previewNewMember: async (deps, { tags }) => await previewNewMember(deps, tags),
  previewApprovedTags: async (deps, { userId, tags }) => await previewApprovedTags(deps, userId, tags),
};
