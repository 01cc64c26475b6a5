import { tagsPerPost } from '../../../contract/constants.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import type { SavedPost } from '../../posts/save.ts';
import type { AudienceTag, AudienceTags } from './audience-tags.ts';
import type { DraftPost } from './draft.ts';
import type { Openness } from './openness.ts';

export const tooManyTags = 'too many tags';

type Tagging = {
  audienceTags: AudienceTags;
  openness: Openness;
  isOpening?: boolean | undefined;
  /** Tags of the source that this import leaves out. */
  leftOut: readonly string[];
};

/** `tags` by name, `audience` by id. `lost` are those of `audience` that only the post here has. */
type PostTags = { tags: string[]; audience: AudienceTag[]; lost: AudienceTag[] };

/**
 * The tags of an imported post. Tags beyond the limit are replaced by one that nobody has, so that it opens
 * to nobody. An existing post, `before`, keeps tags that the source has removed until somebody confirms the
 * removal; `leftOut` confirms it for its tags.
 */
export async function tagsOfPost(
  { tags, audience, audienceOf }: DraftPost,
  before: SavedPost | undefined,
  { audienceTags, openness, isOpening, leftOut }: Tagging,
): Promise<PostTags> {
  const names = tags.length + audience.length > tagsPerPost ? [...audience, tooManyTags] : audience;
  const wanted = {
    tags: tags.slice(0, Math.max(tagsPerPost - names.length, 0)),
    audience: await audienceTags.tagsFor(names.slice(-tagsPerPost), audienceOf),
  };
  if (before === undefined || isOpening) return { ...wanted, lost: [] };
  const confirmed = new Set(leftOut.map(tagKey));
  const lost = (await openness.lostTags(before, wanted)).filter(({ name }) => !confirmed.has(tagKey(name)));
  const kept = [...wanted.audience, ...lost];
  return { tags: wanted.tags.slice(0, Math.max(tagsPerPost - kept.length, 0)), audience: kept, lost };
}
