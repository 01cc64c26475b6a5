import { AppError, isFinal, isUnreached } from '../../../contract/errors.ts';
import type { Call } from '../../../contract/operations.ts';
import { type Draft, inputOf, loadPost, type Post } from './draft.ts';
import type { Base, SavedPost } from './editor-state.ts';
import { draftOf, isSameSave, namesWithSentence } from './post-fields.ts';

/** What is saved, and what it replaces. `saveKey` keeps a repeated save from making a second post. */
export type Saving = {
  draft: Draft;
  isDraft: boolean;
  base: Base;
  saveKey: string;
  /** Whether those who may read a published post only now are told of it by mail. */
  tellsNewReaders?: boolean;
  /** The date under which a post is published, in place of now. */
  date?: string;
  /** Whether nobody is told of its publication. */
  isQuiet?: boolean;
};

type Outcome =
  | { kind: 'saved'; post: SavedPost }
  /** The post was saved elsewhere meanwhile. */
  | { kind: 'conflict'; theirs: Post }
  /** The post was deleted, and the author does not want a new one. */
  | { kind: 'declined' }
  /**
   * Sentences for the author by field; `save` is for those that belong to none. `isFinal`: whether it cannot
   * help to send the same again. `isUnreached`: no answer of the site came.
   */
  | { kind: 'failed'; fields: Record<string, string>; isFinal: boolean; isUnreached: boolean };

type SavingContext = {
  call: Call;
  /** Asks whether a text whose post has been deleted becomes a new post. */
  askForNew(): Promise<boolean>;
};

/** Saves a post. Whatever fails, nothing is lost. */
export async function savePost({ call, askForNew }: SavingContext, saving: Saving): Promise<Outcome> {
  const { base, saveKey } = saving;
  try {
    try {
      return await write(call, saving);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const blocking = error.code === 'aborted' ? error.details?.postId : undefined;
      if (typeof blocking === 'string') return await settle(call, saving, blocking);
      const isGone = error.code === 'not-found' || (error.code === 'aborted' && base === null);
      if (!isGone) throw error;
      if (!(await askForNew())) return { kind: 'declined' };
      return await write(call, { ...saving, base: null, saveKey: nextSaveKey(saveKey) });
    }
  } catch (error) {
    if (!(error instanceof AppError)) {
      return { kind: 'failed', fields: {}, isFinal: false, isUnreached: false };
    }
    const fields = shownFields(error.details?.fields ?? {}, saving.draft);
    return {
      kind: 'failed',
      fields: Object.keys(fields).length > 0 ? fields : { save: error.message },
      isFinal: isFinal(error),
      isUnreached: isUnreached(error),
    };
  }
}

/**
 * The key with which the text of a deleted post becomes a new one: the old key belongs to the deleted post.
 */
export function nextSaveKey(saveKey: string): string {
  return `${saveKey}-again`;
}

/**
 * Sentences by the fields that show them. The server names one of a list with its place, such as `tags.2`;
 * of an attachment the author is told the file.
 */
function shownFields(fields: Record<string, string>, { attachments }: Draft): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [path, sentence] of Object.entries(fields)) {
    const [name = '', place] = path.split('.');
    const file = name === 'attachments' ? attachments[Number(place)] : undefined;
    shown[namesWithSentence.includes(name) ? name : 'save'] ??=
      file === undefined ? sentence : `${file.name}: ${sentence}`;
  }
  return shown;
}

async function write(call: Call, saving: Saving): Promise<Outcome> {
  const { draft, isDraft, base, saveKey, date, isQuiet = false, tellsNewReaders = false } = saving;
  const input = {
    ...inputOf(draft, isDraft),
    ...(date !== undefined && { date }),
    ...(isQuiet && { isQuiet }),
  };
  const { post } =
    base === null
      ? await call('createPost', { ...input, saveKey })
      : await call('updatePost', {
          ...input,
          postId: base.postId,
          version: base.version,
          ...(tellsNewReaders && { tellsNewReaders }),
        });
  return { kind: 'saved', post };
}

/**
 * Settles a refused save. If the answer to an earlier attempt was lost, the newer version is what this editor
 * sent.
 */
async function settle(call: Call, { draft, isDraft }: Saving, postId: string): Promise<Outcome> {
  const post = await loadPost(call, postId);
  const isSaved = isSameSave(draft, draftOf(post)) && post.isDraft === isDraft;
  return isSaved ? { kind: 'saved', post } : { kind: 'conflict', theirs: post };
}
