import { AppError } from '../../../contract/errors.ts';
import type { Call, Input, Output } from '../../../contract/operations.ts';
import { withFilesAsText } from '../files/files-as-text.ts';
import { tagsOf } from './draft-tags.ts';
import type { FieldName } from './post-fields.ts';

/** What the editor needs of a post, with its Markdown. */
export type Post = Pick<
  Output<'getPost'>['post'],
  FieldName | 'id' | 'tagIds' | 'publishedOn' | 'isDraft' | 'can' | 'version'
> & { content: string };

/** Loads a post for editing. Throws what `call` throws. */
export async function loadPost(call: Call, postId: string): Promise<Post> {
  const { post } = await call('getPost', { postId });
  if (post.content === undefined) throw new AppError('internal', 'The answer holds no Markdown.');
  return { ...post, content: post.content };
}

export type EditorAttachment = {
  url: string;
  name: string;
  type: string;
  size: number;
  /** What stands below it: the caption of a picture. */
  description: string;
  /** What is on a picture, for those who do not see it. Left out while nobody has written it. */
  alt?: string;
  /** The picture that a video shows before it plays. */
  thumbnail: string | null;
};

/** A tag of the site as an editor has met it: on the opened post, or in the suggestions. */
export type KnownTag = { id: string; name: string };

type EssayInput = Extract<Input<'createPost'>, { type: 'essay' }>;
/** Decided when it is saved, or written otherwise in a draft. */
type OtherInput = 'isDraft' | 'date' | 'isQuiet' | 'saveKey' | 'type' | 'tags' | 'tagIds' | 'attachments';
type Written = Omit<EssayInput, OtherInput>;

/**
 * The text in an editor: what the contract takes of an author (`post-fields.ts` says how). A short post keeps
 * the fields of an essay, so that nothing is lost. A copy that an older editor has stored can lack optional
 * ones.
 */
export type Draft = { [Name in keyof Written]: Exclude<Written[Name], undefined> } & {
  type: 'short' | 'essay';
  tags: string[];
  /** Those of `tags` whose ids are known, so that one that is renamed elsewhere stays the same tag. */
  knownTags: KnownTag[];
  attachments: EditorAttachment[];
};

/** Whether readers find it in the timeline: of a page nobody is told by mail. */
export const isInTimeline = ({ type, shownIn = 'timeline' }: Draft) =>
  type === 'short' || shownIn === 'timeline';

/** The input for the server. What a draft does not say is left out, and stays as it is. */
export function inputOf(written: Draft, isDraft: boolean): Input<'createPost'> {
  const draft = withFilesAsText(written);
  const { type, knownTags: _, tags: __, title, description, shownIn, cardPicture, ...fields } = draft;
  const common = {
    ...fields,
    ...tagsOf(draft),
    // A process of an older version takes no `alt`, and keeps one that is there.
    attachments: draft.attachments.map(({ url, description, alt, thumbnail }) => ({
      url,
      description,
      ...(alt !== undefined && { alt }),
      thumbnail,
    })),
    isDraft,
  };
  return type === 'essay'
    ? { ...common, type, title, description, shownIn, cardPicture }
    : { ...common, type };
}

/**
 * Whether the text of a draft shows the file of an address, or its attachments do, also as the poster of a
 * video.
 */
export function holdsFile({ content, attachments }: Draft, address: string): boolean {
  const listed = attachments.some(({ url, thumbnail }) => url === address || thumbnail === address);
  return listed || content.includes(address);
}
