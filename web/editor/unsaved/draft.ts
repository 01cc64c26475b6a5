import { AppError } from '../../../contract/errors.ts';
import type { Call, Input, Output } from '../../../contract/operations.ts';
import type { ShownIn } from '../../../contract/post-input.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { oneLine } from '../../../contract/text.ts';
import { withPhotosAsText } from '../files/photo-paragraph.ts';

/** What the editor needs of a post, with its Markdown. */
export type Post = Pick<
  Output<'getPost'>['post'],
  | 'id'
  | 'type'
  | 'title'
  | 'description'
  | 'tags'
  | 'tagIds'
  | 'attachments'
  | 'publishedOn'
  | 'shownIn'
  | 'mailsBeginning'
  | 'cardPicture'
  | 'isDraft'
  | 'can'
  | 'version'
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

/**
 * The text in an editor. Title and description are kept while the type is a short post, so that nothing is
 * lost.
 */
export type Draft = {
  type: 'short' | 'essay';
  title: string;
  description: string;
  content: string;
  tags: string[];
  /** Those of `tags` whose ids are known, so that one that is renamed elsewhere stays the same tag. */
  knownTags: KnownTag[];
  attachments: EditorAttachment[];
  /** Mails hold only its beginning. Not in a copy that an older editor has stored. */
  mailsBeginning?: boolean;
  /** Where readers find an essay. Neither is this. */
  shownIn?: ShownIn;
  /** The picture beside the preview of an essay, or `none`; null for the first one. Neither is this. */
  cardPicture?: string | null;
};

export const emptyDraft: Draft = {
  type: 'short',
  title: '',
  description: '',
  content: '',
  tags: [],
  knownTags: [],
  attachments: [],
  mailsBeginning: false,
  shownIn: 'timeline',
  cardPicture: null,
};

/** Whether readers find it in the timeline: of a page nobody is told by mail. */
export const isInTimeline = ({ type, shownIn = 'timeline' }: Draft) =>
  type === 'short' || shownIn === 'timeline';

export function draftOf(post: Post): Draft {
  return {
    type: post.type,
    title: post.title ?? '',
    description: post.description ?? '',
    content: post.content,
    shownIn: post.shownIn,
    tags: post.tags,
    knownTags: post.tags.flatMap((name, index) => {
      const id = post.tagIds?.[index];
      return id === undefined ? [] : [{ id, name }];
    }),
    attachments: post.attachments.map(({ description, alt, ...file }) => ({
      ...file,
      description: description ?? '',
      ...(alt && { alt }),
    })),
    mailsBeginning: post.mailsBeginning ?? false,
    cardPicture: post.cardPicture ?? null,
  };
}

/** The input for the server. */
export function inputOf(written: Draft, isDraft: boolean): Input<'createPost'> {
  const draft = withPhotosAsText(written);
  const common = {
    content: draft.content,
    ...tagsOf(draft),
    // A process of an older version takes none, and keeps one that is there.
    attachments: draft.attachments.map(({ url, description, alt, thumbnail }) => ({
      url,
      description,
      ...(alt !== undefined && { alt }),
      thumbnail,
    })),
    isDraft,
    ...(draft.mailsBeginning !== undefined && { mailsBeginning: draft.mailsBeginning }),
  };
  return draft.type === 'essay'
    ? {
        ...common,
        type: 'essay',
        title: draft.title,
        description: draft.description,
        shownIn: draft.shownIn,
        cardPicture: draft.cardPicture,
      }
    : { ...common, type: 'short' };
}

/**
 * The tags of a draft, with the ids that are known: by its name alone, one that is renamed elsewhere is
 * another tag.
 */
export function tagsOf(draft: Draft): { tags: string[]; tagIds: (string | null)[] } {
  return { tags: draft.tags, tagIds: draft.tags.map(name => idOf(draft, name) ?? null) };
}

/** The id of a tag, if it is known. A copy that an older editor has stored knows none. */
function idOf({ knownTags = [] }: Partial<Draft>, name: string): string | undefined {
  return knownTags.find(tag => tag.name === name)?.id;
}

/** The draft with other tags, of which those among `known` are the site's own. */
export function withTags(draft: Draft, tags: string[], known: readonly KnownTag[]): Draft {
  const knownTags = tags.flatMap(name => {
    const tag = [...(draft.knownTags ?? []), ...known].find(other => other.name === name);
    return tag === undefined ? [] : [{ id: tag.id, name }];
  });
  return { ...draft, tags, knownTags };
}

/**
 * The draft with its tags as the site lists them: under the names that they have by now, and with the ids of
 * those that were typed by name. The same draft if nothing of it changes.
 */
export function withListedTags(draft: Draft, listed: readonly KnownTag[]): Draft {
  const byId = new Map(listed.map(tag => [tag.id, tag]));
  const byKey = new Map(listed.map(tag => [tagKey(tag.name), tag]));
  const found = draft.tags.map(name => {
    const id = idOf(draft, name);
    return (id === undefined ? byKey.get(tagKey(name)) : byId.get(id)) ?? { id, name };
  });
  if (found.every(({ id, name }, index) => name === draft.tags[index] && id === idOf(draft, name)))
    return draft;
  // A tag may have got the name of a new one that was typed here.
  const tags = found.filter(
    ({ name }, index) => found.findIndex(other => tagKey(other.name) === tagKey(name)) === index,
  );
  return {
    ...draft,
    tags: tags.map(({ name }) => name),
    knownTags: tags.flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name }])),
  };
}

/** Whether two drafts have the same tags: by their ids, or by their names where one of them knows no id. */
function haveSameTags(a: Draft, b: Draft): boolean {
  const isSame = (one: string, other: string) => {
    const ids = [idOf(a, one), idOf(b, other)];
    return ids.includes(undefined) ? tagKey(one) === tagKey(other) : ids[0] === ids[1];
  };
  return a.tags.length === b.tags.length && a.tags.every(one => b.tags.some(other => isSame(one, other)));
}

/**
 * Whether the text of a draft shows the file of an address, or its attachments do, also as the poster of a
 * video.
 */
export function holdsFile({ content, attachments }: Draft, address: string): boolean {
  const listed = attachments.some(({ url, thumbnail }) => url === address || thumbnail === address);
  return listed || content.includes(address);
}

export function isSameDraft(a: Draft, b: Draft): boolean {
  return haveSameTags(a, b) && JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

/** Whether two drafts would be saved as the same post: for a save whose answer was lost. */
export function isSameSave(a: Draft, b: Draft): boolean {
  return haveSameTags(a, b) && JSON.stringify(written(a)) === JSON.stringify(written(b));
}

function written(draft: Draft) {
  const { title, description } = draft;
  const attachments = draft.attachments.map(file => ({ alt: '', ...file }));
  const {
    tags: _names,
    tagIds: _ids,
    ...input
  } = inputOf({ ...draft, title: oneLine(title), description: oneLine(description), attachments }, false);
  const { mailsBeginning = false, shownIn = 'timeline', cardPicture = null } = draft;
  return { ...input, mailsBeginning, shownIn, cardPicture };
}

function comparable(draft: Draft) {
  const { type, title, description, content, attachments, mailsBeginning = false } = draft;
  const { shownIn = 'timeline', cardPicture = null } = draft;
  const carried = attachments.map(({ url, description, alt = '' }) => [url, description, alt]);
  return [type, title, description, content, carried, mailsBeginning, shownIn, cardPicture];
}
