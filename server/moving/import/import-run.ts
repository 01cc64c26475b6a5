import type { ImportedRow } from '../../db/tables.ts';
import { removeUnusedFiles } from '../../files/remove.ts';
import { findSavedPost } from '../../posts/save.ts';
import { type AudienceTag, AudienceTags } from './audience-tags.ts';
import { PostAuthors } from './authors.ts';
import {
  type DraftItem,
  type DraftPerson,
  type DraftPost,
  type DraftSettings,
  isOpenAtSource,
  type Source,
} from './draft.ts';
import { noteSource } from './identity.ts';
import { findImported, freeId, importedId } from './imported.ts';
import { readDigest, wordsDigest, writeDigest } from './noted-digest.ts';
import { Openness, tellingWords, titleOfDraft } from './openness.ts';
import {
  attachmentsOf,
  type FoundFiles,
  findPostFiles,
  type ImportContext,
  type PostFiles,
  placePostFiles,
  sizeOf,
  storePostFiles,
} from './post-files.ts';
import { tagsOfPost } from './post-tags.ts';
import { RenamedPosts } from './renamed.ts';
import {
  digestOfDraft,
  lostOf,
  notesOn,
  type RenderedText,
  render,
  renderUnless,
  textOf,
} from './render-draft.ts';
import type { ImportedItem } from './report.ts';
import type { ImportOptions } from './run.ts';
import { type ItemImport, savePerson } from './write-person.ts';
import { ChangedMeanwhile, type PreparedPost, savePost } from './write-post.ts';
import { saveSettings } from './write-settings.ts';

/** One import of a source: decides about each of its items, and saves it. */
export class ImportRun {
  readonly #context: ImportContext;
  readonly #source: Source;
  readonly #options: ImportOptions;
  /** For items other than posts. */
  readonly #items: Omit<ItemImport, 'source'>;
  readonly #authors: PostAuthors;
  readonly #openness: Openness;
  readonly #renamed: RenamedPosts;
  #isNoted = false;

  constructor(context: ImportContext, source: Source, options: ImportOptions) {
    this.#context = context;
    this.#source = source;
    this.#options = options;
    const { isDryRun } = options;
    const audienceTags = new AudienceTags(context, source.name, isDryRun);
    this.#items = { ...context, audienceTags, isDryRun, planned: new Set(), lastNumbers: new Map() };
    this.#openness = new Openness(context);
    this.#renamed = new RenamedPosts(context, source);
    this.#authors = new PostAuthors(context, id => this.#nameOf(`people/${id}`), options);
  }

  /** Records the source, once something of it is here. */
  async noteSource(): Promise<void> {
    const { name, unsure } = this.#source;
    if (unsure === undefined || this.#isNoted || this.#options.isDryRun) return;
    this.#isNoted = true;
    await noteSource(this.#context, name, unsure);
  }

  /** Reads the files of a post and renders its text, which takes most of the time; writes nothing. */
  async prepare(given: DraftItem): Promise<Prepared> {
    if (given.kind !== 'post') return { item: given };
    const leftOut = await this.#leftOut(given);
    const item = { ...given, tags: given.tags.filter(tag => !leftOut.includes(tag)) };
    const source = this.#nameOf(item.id);
    const own = await findImported(this.#context.db, source);
    if (own !== undefined && (await this.#renamed.isOfAnother(own, item)))
      return { item: { kind: 'refused', id: item.id, reason: hasNameOfAnother } };
    const renamed = own === undefined ? await this.#renamed.find(item) : undefined;
    const known = own ?? renamed;
    const found = await findPostFiles(this.#context, item, id => this.#addressOf(id));
    const digest = digestOfDraft(item, found);
    const isUnchanged = known !== undefined && readDigest(known.digest).whole === digest;
    const prepared = { item, leftOut, source, known, renamed, found, digest, isUnchanged };
    if (isUnchanged) return prepared;
    const id = known?.target_id ?? (await freeId(this.#context, 'posts', source, item.keepId));
    const files = await placePostFiles(this.#context, found, source, known?.target_id);
    return { ...prepared, early: { id, rendered: await render(item, files, id) } };
  }

  /** The tags of a post that this import leaves out, so that everybody can read it as at its source. */
  async #leftOut(draft: DraftPost): Promise<string[]> {
    if (!this.#options.leavesTagsOut || !isOpenAtSource(draft)) return [];
    return await this.#openness.restricting({ tags: draft.tags, audience: [] });
  }

  async save(prepared: Prepared): Promise<ImportedItem> {
    if ('found' in prepared) return await this.#savePost(prepared);
    const { item } = prepared;
    switch (item.kind) {
      case 'person':
        return await savePerson(
          { ...this.#items, source: this.#nameOf(`people/${item.id}`) },
          this.#options.makesNoAdmins && item.isAdmin ? asMember(item) : item,
        );
      case 'settings':
        return await this.#saveSettings(item);
      case 'refused':
        return { kind: 'other', source: item.id, outcome: 'skipped', reason: item.reason, notes: [] };
    }
  }

  async #saveSettings(item: DraftSettings): Promise<ImportedItem> {
    const done = await saveSettings({ ...this.#items, source: this.#nameOf('settings') }, item);
    const planned = this.#options.isDryRun && done.outcome === 'created' ? (item.defaultAudience ?? []) : [];
    this.#openness.settingsChanged(await this.#items.audienceTags.tagsFor(planned));
    return done;
  }

  /** The unique name of an item across sources. */
  #nameOf(id: string): string {
    return this.#source.name === '' ? id : `${this.#source.name}/${id}`;
  }

  async #savePost(prepared: PreparedDraft): Promise<ImportedItem> {
    const { item: draft, leftOut, source, known, renamed, found, digest, isUnchanged, early } = prepared;
    const wasOpen = isOpenAtSource(draft);
    const title = titleOfDraft(draft);
    const post = { title, ...(known && { id: known.target_id }) };
    const item = { kind: 'post' as const, source: draft.id, notes: [], post, wasOpen };
    const author = await this.#authors.of(draft);
    if (known && isUnchanged && !readDigest(known.digest).isClosed) {
      // A second run may know the author.
      const isMissing = author.reported !== undefined && (await this.#authors.isMissing(known.target_id));
      const isGiven = isMissing && (await this.#authors.give(known.target_id, author));
      const published = await this.#openness.publishedPost(known.target_id);
      const named = { title: published?.title || title, id: known.target_id };
      const open = published?.closing.length === 0 ? named.title : undefined;
      const narrowedBy = wasOpen && published?.version === known.version ? published.closing : [];
      const outcome = isGiven ? 'updated' : 'unchanged';
      return {
        ...item,
        ...{ post: named, outcome, open, narrowedBy },
        ...(isMissing && { author: author.reported }),
      };
    }
    if (renamed && !this.#options.isDryRun) await this.#renamed.rename(renamed, draft, source);
    const before = known && (await findSavedPost(this.#context.db, known.target_id));
    const kept = (reason: string): ImportedItem => ({
      ...item,
      ...{ outcome: 'kept', reason },
      ...(before === undefined && { post: { title } }),
    });
    if (known !== undefined && before?.version !== known.version) {
      return kept(`it was ${before === undefined ? 'deleted' : 'edited'} in Coterie since the last import`);
    }
    const id = known?.target_id ?? (await freeId(this.#context, 'posts', source, draft.keepId));
    const { tags, audience, lost } = await tagsOfPost(draft, before, {
      ...this.#items,
      ...this.#options,
      openness: this.#openness,
      leftOut,
    });
    const closed = lost.map(({ name }) => name);
    if (closed.length > 0 && isUnchanged) return { ...item, outcome: 'unchanged', closed };
    const files = await placePostFiles(this.#context, found, source, known?.target_id);
    // Before anything is stored: what cannot become a post leaves nothing behind.
    const rendered = await renderUnless(early, draft, files, id);
    const text = textOf(draft, rendered, tags);
    const notes = [
      ...(renamed ? [`it was called ${this.#renamed.oldId(renamed)} before`] : []),
      ...draft.notes,
      ...files.notes,
      ...text.notes,
      ...lostOf(draft, rendered),
      ...notesOn(draft, before, this.#context.clock()),
    ];
    const isPublished = !draft.isDraft || before?.published_at != null;
    const closing = await this.#openness.restricting({ tags: text.tags, audience });
    const words = tellingWords(text.columns) || draft.fallbackTitle;
    // An update keeps the author of a post.
    const getsAuthor = known === undefined || (await this.#authors.isMissing(known.target_id));
    const saved = {
      ...item,
      post: { title: words, ...((known || !this.#options.isDryRun) && { id }) },
      outcome: known ? ('updated' as const) : ('created' as const),
      ...sizeOf(files),
      ...(isPublished && { tags: [...new Set([...text.tags, ...audience.map(({ name }) => name)])] }),
      author: getsAuthor ? author.reported : undefined,
      closed,
      ...(isPublished && closing.length === 0 && { open: words }),
      narrowedBy: wasOpen && closed.length === 0 ? closing : [],
    };
    if (this.#options.isDryRun) {
      const { comments, likes } = draft;
      return { ...saved, notes, comments: comments.length, likes: likes.length };
    }
    const noted = writeDigest({ whole: digest, isClosed: closed.length > 0, words: wordsDigest(draft) });
    const planned = { source, id, digest: noted, authorId: author.id, files, tags, audience, text };
    try {
      const { comments, likes, notes: more } = await this.#write(draft, planned);
      if (before) await this.#authors.give(id, author);
      return { ...saved, notes: [...notes, ...more], comments, likes };
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return kept(error.message);
      throw error;
    }
  }

  async #write(draft: DraftPost, { files, tags, audience, text, ...post }: Planned) {
    const context = this.#context;
    const before = files.notes.length;
    const newIds = await storePostFiles(context, files, post.authorId);
    const notes = files.notes.slice(before);
    try {
      // Files that could not be stored are not shown either.
      const shown = notes.length === 0 ? text : textOf(draft, await render(draft, files, post.id), tags);
      const saved = await savePost(context, draft, {
        ...post,
        text: {
          columns: shown.columns,
          tags: shown.tags,
          audienceTagIds: audience.map(({ id }) => id),
          attachments: attachmentsOf(draft, files),
          addable: { placed: new Set([...files.files.values()].map(({ id }) => id)) },
        },
        // Before the transaction, because each person takes a query.
        accounts: await this.#authors.accountsOf(draft),
      });
      await removeUnusedFiles(context, saved.lost);
      return { ...saved, notes: [...notes, ...saved.notes] };
    } catch (error) {
      await removeUnusedFiles(context, newIds);
      throw error;
    }
  }

  /** The address of another post of the source here, or its future one if it is not imported yet. */
  async #addressOf(id: string): Promise<string> {
    const source = this.#nameOf(id);
    const known = (await findImported(this.#context.db, source)) ?? (await this.#renamed.findById(id));
    return `/post/${known?.target_id ?? importedId(this.#context.secret, source)}`;
  }
}

type PreparedDraft = {
  item: DraftPost;
  /** Tags that the import leaves out of it. */
  leftOut: readonly string[];
  /** The unique name of the post across sources. */
  source: string;
  known: ImportedRow | undefined;
  /** The record under the former name of its file. */
  renamed: ImportedRow | undefined;
  found: FoundFiles;
  digest: string;
  isUnchanged: boolean;
  /** Its text as rendered for this id and with these files, unless an earlier post changes them. */
  early?: { id: string; rendered: RenderedText };
};

/** An item, read and rendered as far as that is possible without others. */
export type Prepared = PreparedDraft | { item: Exclude<DraftItem, DraftPost> };

type Planned = Omit<PreparedPost, 'text' | 'accounts'> & {
  files: PostFiles;
  tags: readonly string[];
  audience: readonly AudienceTag[];
  text: ReturnType<typeof textOf>;
};

const hasNameOfAnother =
  'an earlier export had another post under this name, and both are here: neither was changed';

function asMember(admin: DraftPerson): DraftPerson {
  const notes = [...admin.notes, 'it was an admin there: make it one under Users, if it is to be one here'];
  return { ...admin, isAdmin: false, status: 'approved', notes };
}
