import type { retaggingOperations } from '../../contract/retagging.ts';
import type { Handlers } from '../access/context.ts';
import type { MemberContext } from '../access/effects.ts';
import { mergeTag, previewTagMerge } from './merge.ts';
import { previewRetag, retagPosts } from './retag.ts';

export const retaggingHandlers: Handlers<typeof retaggingOperations, MemberContext> = {
  previewRetag,
  retagPosts: async (deps, { seen, ...retag }) => ({ changed: await retagPosts(deps, retag, seen) }),
  previewTagMerge: async (deps, merge) =>
    await previewTagMerge(deps, await deps.catalogue(), await deps.memberGroups(), merge),
  mergeTag: async (deps, { seen, ...merge }) => ({ tag: await mergeTag(deps, merge, seen) }),
};
