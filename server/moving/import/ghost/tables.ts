import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { readJsonItems } from '../json-items.ts';

/** Rows of an export by the name of their table; only the columns that are used here, each as text. */
type Row = ReadonlyMap<string, string>;

/** The data of a Ghost site that are needed before its first post can be read. */
export type GhostSite = {
  title: string;
  total: number;
  tags: Map<string, { name: string; isInternal: boolean }>;
  /** Ids in the post's order. */
  tagsOf: Map<string, string[]>;
  authorsOf: Map<string, string[]>;
  users: Map<string, Row>;
  rolesOf: Map<string, string[]>;
  tiers: Map<string, { name: string; slug: string }>;
  tiersOf: Map<string, string[]>;
  /** Further fields of a post, such as the alternative text of its picture. */
  metaOf: Map<string, Row>;
  slugs: Map<string, string>;
  commentsOf: Map<string, Row[]>;
  members: Map<string, Row>;
};

const wanted =
  'comments members posts_authors posts_meta posts_products posts_tags products roles roles_users settings tags users'.split(
    ' ',
  );
/** The rows of all tables: one without rows that are read would count as one large item. */
const rowPaths = ['$.db.*.data.*.*', '$.data.*.*'];

const Fields = z.record(z.string(), z.unknown());

/** A row with its values as text; only texts, numbers and booleans are kept. */
function rowOf(value: unknown): Row {
  const fields = Fields.safeParse(value);
  return new Map(
    Object.entries(fields.data ?? {}).flatMap(([name, field]) =>
      ['string', 'number', 'boolean'].includes(typeof field)
        ? [[name, String(field).replaceAll('\0', '')]]
        : [],
    ),
  );
}

/**
 * The posts of an export, one after another, whatever its length. Throws invalid-argument for any other file.
 */
export async function* readPosts(file: string): AsyncGenerator<Row> {
  for await (const { path, value } of readJsonItems(createReadStream(file), rowPaths))
    if (path.at(-2) === 'posts') yield rowOf(value);
}

/** Reads an export once, for what posts refer to. Throws invalid-argument for any other file. */
export async function readGhostSite(file: string): Promise<GhostSite> {
  const tables = new Map<string, Row[]>(wanted.map(name => [name, []]));
  const slugs = new Map<string, string>();
  for await (const { path, value } of readJsonItems(createReadStream(file), rowPaths)) {
    const table = String(path.at(-2));
    if (table === 'posts') {
      const row = rowOf(value);
      slugs.set(row.get('slug') ?? '', row.get('id') ?? '');
    } else tables.get(table)?.push(rowOf(value));
  }
  const rowsOf = (name: string) => tables.get(name) ?? [];
  const roles = new Map(rowsOf('roles').map(row => [row.get('id'), row.get('name') ?? '']));
  return {
    total: slugs.size,
    title:
      rowsOf('settings')
        .find(row => row.get('key') === 'title')
        ?.get('value') ?? '',
    tags: new Map(rowsOf('tags').map(row => [row.get('id') ?? '', tagOf(row)])),
    tagsOf: grouped(rowsOf('posts_tags'), 'post_id', row => row.get('tag_id')),
    authorsOf: grouped(rowsOf('posts_authors'), 'post_id', row => row.get('author_id')),
    users: byId(rowsOf('users'), 'id'),
    rolesOf: grouped(rowsOf('roles_users'), 'user_id', row => roles.get(row.get('role_id'))),
    tiers: new Map(
      rowsOf('products').map(row => [
        row.get('id') ?? '',
        { name: row.get('name') ?? '', slug: row.get('slug') ?? '' },
      ]),
    ),
    tiersOf: grouped(rowsOf('posts_products'), 'post_id', row => row.get('product_id')),
    metaOf: byId(rowsOf('posts_meta'), 'post_id'),
    slugs,
    commentsOf: Map.groupBy(rowsOf('comments'), row => row.get('post_id') ?? ''),
    members: byId(rowsOf('members'), 'id'),
  };
}

function tagOf(row: Row): { name: string; isInternal: boolean } {
  const name = row.get('name')?.trim() ?? '';
  return { name, isInternal: row.get('visibility') === 'internal' || name.startsWith('#') };
}

const byId = (rows: readonly Row[], column: string) => new Map(rows.map(row => [row.get(column) ?? '', row]));

function grouped(
  rows: readonly Row[],
  column: string,
  read: (row: Row) => string | undefined,
): Map<string, string[]> {
  const inOrder = rows
    .filter(row => read(row) !== undefined)
    .sort((a, b) => Number(a.get('sort_order') ?? 0) - Number(b.get('sort_order') ?? 0));
  const groups = Map.groupBy(inOrder, row => row.get(column) ?? '');
  return new Map([...groups].map(([key, group]) => [key, group.flatMap(row => read(row) ?? [])]));
}
