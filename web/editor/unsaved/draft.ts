import { AppError } from '../../../contract/errors.ts';
import type { Call, Input, Output } from '../../../contract/operations.ts';
import { tagKey } from '../../../contract/tag-name.ts';

/** A post with its Markdown. */
export type Post = Output<'getPost'>['post'] & { content: string };

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
  description: string;
  /** The picture that a video shows before it plays. */
  thumbnail: string | null;
};

/** The text in an editor. Title and description are kept while the type is a short post, so that nothing is lost. */
export type Draft = {
  type: 'short' | 'essay';
  title: string;
  description: string;
  content: string;
  tags: string[];
  attachments: EditorAttachment[];
};

export const emptyDraft: Draft = {
  type: 'short',
  title: '',
  description: '',
  content: '',
  tags: [],
  attachments: [],
};

export function draftOf(post: Post): Draft {
  return {
    type: post.type,
    title: post.title ?? '',
    description: post.description ?? '',
    content: post.content,
    tags: post.tags,
    attachments: post.attachments.map(({ description, ...file }) => ({
      ...file,
      description: description ?? '',
    })),
  };
}

/** The input for the server. */
export function inputOf(draft: Draft, isDraft: boolean): Input<'createPost'> {
  const common = {
    content: draft.content,
    tags: draft.tags,
    attachments: draft.attachments.map(({ url, description, thumbnail }) => ({
      url,
      description,
      thumbnail,
    })),
    isDraft,
  };
  return draft.type === 'essay'
    ? { ...common, type: 'essay', title: draft.title, description: draft.description }
    : { ...common, type: 'short' };
}

/** Whether the text of a draft shows the file of an address, or its attachments do, also as the poster of a video. */
export function holdsFile({ content, attachments }: Draft, address: string): boolean {
  const listed = attachments.some(({ url, thumbnail }) => url === address || thumbnail === address);
  return listed || content.includes(address);
}

export function isSameDraft(a: Draft, b: Draft): boolean {
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

/** Whether two drafts would be saved as the same post: for a save whose answer was lost. */
export function isSameSave(a: Draft, b: Draft): boolean {
  return JSON.stringify(inputOf(written(a), false)) === JSON.stringify(inputOf(written(b), false));
}

function written(draft: Draft): Draft {
  const oneLine = (text: string) => text.trim().replaceAll(/\s+/gu, ' ');
  return {
    ...draft,
    title: oneLine(draft.title),
    description: oneLine(draft.description),
    tags: draft.tags.map(tagKey).sort(),
  };
}

function comparable({ type, title, description, content, tags, attachments }: Draft) {
  const carried = attachments.map(file => [file.url, file.description]);
  return [type, title, description, content, [...tags].sort(), carried];
}
