import { type Guards, unguarded } from '../../server/db/transaction.ts';
import type { DraftItem, DraftPerson, DraftPost, Source } from '../../server/moving/import/draft.ts';
import type { ImportOptions } from '../../server/moving/import/run.ts';
import { importAll } from './imports.ts';
import type { Site } from './site.ts';

export const person = (id: string, fields: Partial<DraftPerson>): DraftPerson => ({
  kind: 'person',
  id,
  email: `${id}@example.com`,
  isEmailVerified: true,
  username: id,
  name: id,
  passwordHash: undefined,
  status: 'approved',
  isAdmin: false,
  audience: [],
  createdAt: Date.UTC(2020, 0, 1),
  isSubscribed: false,
  notes: [],
  ...fields,
});

export const post = (fields: Partial<DraftPost>): DraftPost => ({
  kind: 'post',
  id: 'one',
  title: undefined,
  fallbackTitle: 'One',
  description: undefined,
  content: 'One.',
  isDraft: false,
  date: Date.UTC(2020, 0, 1),
  tags: [],
  audience: [],
  comments: [],
  likes: [],
  isOwnAddress: () => false,
  findFile: async () => undefined,
  addresses: [],
  notes: [],
  ...fields,
});

/** A source of these items. */
export const sourceOf = (items: readonly DraftItem[], name = 'walks'): Source => ({
  name,
  total: items.length,
  items: async function* () {
    yield* items;
  },
  leftBehind: [],
});

/** Imports these items of a source, which is called `name`. `holdRights` runs first in each transaction. */
export async function importItems(
  s: Site,
  items: readonly DraftItem[],
  {
    holdRights = unguarded.holdRights,
    name,
    ...options
  }: Partial<ImportOptions> & { holdRights?: Guards['holdRights'] | undefined; name?: string } = {},
) {
  return await importAll({ ...s.deps, holdRights }, sourceOf(items, name), options);
}
