import type { Kysely } from 'kysely';
import { tagKey } from '../../../contract/tag-name.ts';
import { cutAtWord } from '../../../contract/text.ts';
import type { Tables } from '../../db/tables.ts';
import type { AudienceTag } from './audience-tags.ts';

/** Characters of a post that tell which one it is. */
const tellingCharacters = 80;

type Tags = { tags: readonly string[]; audience: readonly AudienceTag[] };

/** Which imported posts are open to everybody, and which an import would open to more people than now. */
export class Openness {
  readonly #db: Kysely<Tables>;
  #defaults: Promise<AudienceTag[]> | undefined;
  /** Default tags that an import would add, in a dry run. */
  #planned: readonly AudienceTag[] = [];

  constructor({ db }: { db: Kysely<Tables> }) {
    this.#db = db;
  }

  /** Settings of a source may have changed what visitors may read, or would with these tags. */
  settingsChanged(planned: readonly AudienceTag[]): void {
    this.#defaults = undefined;
    this.#planned = planned;
  }

  /** Whether visitors may read a published post with these tags. */
  async isForAll({ tags, audience }: Tags): Promise<boolean> {
    if (tags.length + audience.length === 0) return true;
    this.#defaults ??= this.#db
      .selectFrom('default_tags')
      .innerJoin('tags', 'tags.id', 'default_tags.tag_id')
      .select(['tags.id', 'tags.name'])
      .execute();
    const defaults = [...(await this.#defaults), ...this.#planned];
    const [ids, keys] = [
      new Set(defaults.map(({ id }) => id)),
      new Set(defaults.map(({ name }) => tagKey(name))),
    ];
    return tags.every(name => keys.has(tagKey(name))) && audience.every(({ id }) => ids.has(id));
  }

  /** The tags of a post that an update would take from it: more people could read it then. */
  async lostTags(before: { tag_set_id: number }, { tags, audience }: Tags): Promise<AudienceTag[]> {
    const carried = await this.#tagsOf(before.tag_set_id);
    const [ids, keys] = [new Set(audience.map(({ id }) => id)), new Set(tags.map(tagKey))];
    return carried.filter(({ id, name }) => !ids.has(id) && !keys.has(tagKey(name)));
  }

  /**
   * The words by which the report calls a post that is here and that visitors may read; undefined for
   * any other.
   */
  async openPost(id: string): Promise<string | undefined> {
    const post = await this.#db
      .selectFrom('posts')
      .select(['title', 'text', 'published_at', 'tag_set_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (post === undefined || post.published_at === null) return undefined;
    const audience = await this.#tagsOf(post.tag_set_id);
    return (await this.isForAll({ tags: [], audience })) ? tellingWords(post) : undefined;
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

/** By which a person knows a post: its title, or its first words. */
export function tellingWords({ title, text }: { title: string | null | undefined; text: string }): string {
  return cutAtWord(title || text, tellingCharacters);
}
