import type { tagMergingOperations } from '../../contract/tag-merging.ts';
import type { Handlers } from '../access/context.ts';
import type { MemberContext } from '../access/effects.ts';
import { mergeTag, previewTagMerge } from './merge.ts';

export const tagMergingHandlers: Handlers<typeof tagMergingOperations, MemberContext> = {
  previewTagMerge: async (deps, merge) =>
    await previewTagMerge(deps, await deps.catalogue(), await deps.memberGroups(), merge),
  mergeTag: async (deps, { seen, ...merge }) => ({ tag: await mergeTag(deps, merge, seen) }),
};
