import type { Kysely } from 'kysely';
import { tagMaxCharacters } from '../../../contract/constants.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { TagName } from '../../../contract/tags.ts';
import { createId } from '../../base/id.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { ensureTags } from '../../tags/write.ts';
import { findImported, noteImported } from './imported.ts';
import { cutName, visibleName } from './tag-names.ts';

/** A tag that a real import would create has, in a dry run, an id that no tag has. */
export type AudienceTag = { id: string; name: string };

/**
 * The tags for the groups by which a source decided who may read (decision 32). Each name becomes a tag
 * of this site that nobody has and no post carries: a new one, or an unused one of the list. If the name is
 * taken, another is made from it, because people who have that tag here were not allowed to read those posts
 * there. Names that differ in case were two groups there, and are two tags here. The choice is recorded, so
 * that a later import finds the same tag, whoever has it then. It is used by its id: if the tag was renamed
 * or deleted, later posts have the same readers as earlier ones.
 */
export class AudienceTags {
  readonly #context: WriteContext;
  readonly #source: string;
  readonly #isDryRun: boolean;
  /** By the group's unique name across sources. */
  readonly #tags = new Map<string, AudienceTag>();
  /** Keys of tags that a dry run would create. */
  readonly #planned = new Set<string>();

  constructor(context: WriteContext, source: string, isDryRun: boolean) {
    this.#context = context;
    this.#source = source;
    this.#isDryRun = isDryRun;
  }

  /**
   * The tags of this site for these names, created if missing. `site` is the site that the names belong to,
   * if the source's name does not tell.
   */
  async tagsFor(names: readonly string[], site = this.#source): Promise<AudienceTag[]> {
    const found: AudienceTag[] = [];
    for (const wanted of new Set(names)) {
      const source = `${site}#${wanted}`;
      const tag = this.#tags.get(source) ?? (await this.#remembered(source, wanted));
      this.#tags.set(source, tag);
      found.push(tag);
    }
    return found;
  }

  /** `source` is the group's unique name across sources. */
  async #remembered(source: string, wanted: string): Promise<AudienceTag> {
    const before = await findImported(this.#context.db, source);
    if (before !== undefined) {
      const tag = await this.#context.db
        .selectFrom('tags')
        .select(['id', 'name'])
        .where('id', '=', before.target_id)
        .executeTakeFirst();
      if (tag !== undefined) return tag;
    }
    if (this.#isDryRun) {
      const free = await this.#freeName(this.#context.db, wanted);
      this.#planned.add(tagKey(free));
      return { id: createId(), name: free };
    }
    return await inTransaction(this.#context, async trx => {
      const free = await this.#freeName(trx, wanted);
      const [id = ''] = await ensureTags(trx, [free]);
      await noteImported(trx, { source, kind: 'tag', target_id: id });
      return { id, name: free };
    });
  }

  /** The name itself, or with a number after it: the first that nobody has and no post carries. */
  async #freeName(db: Kysely<Tables>, wanted: string): Promise<string> {
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : ` ${number}`;
      const cut = cutName(visibleName(wanted), tagMaxCharacters - suffix.length);
      const name = TagName.parse((cut || 'unnamed') + suffix);
      if (this.#planned.has(tagKey(name))) continue;
      if (await isUnused(db, tagKey(name))) return name;
    }
  }
}

async function isUnused(db: Kysely<Tables>, key: string): Promise<boolean> {
  const tag = await db.selectFrom('tags').select('id').where('key', '=', key).executeTakeFirst();
  if (tag === undefined) return true;
  const uses = await Promise.all([
    // Somebody who joins by an invitation later gets its tags.
    ...(['default_tags', 'approved_tags', 'invitation_tags', 'tag_set_tags'] as const).map(table =>
      db.selectFrom(table).select('tag_id').where('tag_id', '=', tag.id).limit(1).executeTakeFirst(),
    ),
    // Whether it already stands for another name, of this import or an earlier one.
    db
      .selectFrom('imported')
      .select('source')
      .where('kind', '=', 'tag')
      .where('target_id', '=', tag.id)
      .limit(1)
      .executeTakeFirst(),
  ]);
  return uses.every(use => use === undefined);
}
