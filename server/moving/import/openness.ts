import type { Kysely } from 'kysely';
import { tagKey } from '../../../contract/tag-name.ts';
import { cutAtWord } from '../../../contract/text.ts';
import { visibleText } from '../../../contract/visible-text.ts';
import type { Tables } from '../../db/tables.ts';
import type { AudienceTag } from './audience-tags.ts';
import type { DraftPost } from './draft.ts';

/** How many characters identify a post for a person. */
const tellingCharacters = 80;
/** How much of a post's Markdown is read for them: it may be far too long for a post. */
const readCharacters = 2_000;

type PublishedPost = { version: number; title: string; closing: readonly string[] };
type Tags = { tags: readonly string[]; audience: readonly AudienceTag[] };

/**
 * Finds which imported posts are open to everybody, and which an import would open to more people than now.
 */
export class Openness {
  readonly #db: Kysely<Tables>;
  #defaults: Promise<AudienceTag[]> | undefined;
  /** Default tags that a dry run's import would add. */
  #planned: readonly AudienceTag[] = [];

  constructor({ db }: { db: Kysely<Tables> }) {
    this.#db = db;
  }

  /** Called when settings of a source have changed what visitors may read, or would with these tags. */
  settingsChanged(planned: readonly AudienceTag[]): void {
    this.#defaults = undefined;
    this.#planned = planned;
  }

  /** The names of those tags that keep visitors from a published post; none if they may read it. */
  async restricting({ tags, audience }: Tags): Promise<string[]> {
    if (tags.length + audience.length === 0) return [];
    this.#defaults ??= this.#db
      .selectFrom('default_tags')
      .innerJoin('tags', 'tags.id', 'default_tags.tag_id')
      .select(['tags.id', 'tags.name'])
      .execute();
    const defaults = [...(await this.#defaults), ...this.#planned];
    const ids = new Set(defaults.map(({ id }) => id));
    const keys = new Set(defaults.map(({ name }) => tagKey(name)));
    return [
      ...tags.filter(name => !keys.has(tagKey(name))),
      ...audience.flatMap(({ id, name }) => (ids.has(id) ? [] : name)),
    ];
  }

  /** The tags of a post that an update would remove: more people could read it then. */
  async lostTags(before: { tag_set_id: number }, { tags, audience }: Tags): Promise<AudienceTag[]> {
    const carried = await this.#tagsOf(before.tag_set_id);
    const ids = new Set(audience.map(({ id }) => id));
    const keys = new Set(tags.map(tagKey));
    return carried.filter(({ id, name }) => !ids.has(id) && !keys.has(tagKey(name)));
  }

  /**
   * An existing published post: its version, its name for the report, and its tags that keep visitors from
   * it. Undefined for any other.
   */
  async publishedPost(id: string): Promise<PublishedPost | undefined> {
    const post = await this.#db
      .selectFrom('posts')
      .select(['title', 'text', 'published_at', 'tag_set_id', 'version'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (post === undefined || post.published_at === null) return undefined;
    const audience = await this.#tagsOf(post.tag_set_id);
    const closing = await this.restricting({ tags: [], audience });
    return { version: post.version, title: tellingWords(post), closing };
  }

  async #tagsOf(tagSetId: number): Promise<AudienceTag[]> {
    return await this.#db
      .selectFrom('tag_set_tags')
      .innerJoin('tags', 'tags.id', 'tag_set_tags.tag_id')
      .select(['tags.id', 'tags.name'])
      .where('tag_set_tags.tag_set_id', '=', tagSetId)
      .execute();
  }
}

/** Not every `<`: a text may compare numbers, or name an address in angle brackets. */
const htmlTags = /<\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>/gi;

/** For a post that this run does not render. */
export function titleOfDraft({
  title,
  content,
  fallbackTitle,
}: Pick<DraftPost, 'title' | 'content' | 'fallbackTitle'>): string {
  const text = title ? '' : visibleText(content.slice(0, readCharacters).replaceAll(htmlTags, ' '));
  return tellingWords({ title, text: text || fallbackTitle });
}

/** What a person recognises a post by: its title, or its first words. */
export function tellingWords({ title, text }: { title: string | null | undefined; text: string }): string {
  return cutAtWord(title || text, tellingCharacters);
}
