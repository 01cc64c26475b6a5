import type { Kysely } from 'kysely';
import { type WishKind, wishKinds } from '../../../contract/wishes.ts';
import { isLessThan, type Role, type Viewer } from '../../access/viewer.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';

/** The lowest role that a wish is for, and whether it is on by default. */
const kinds: Record<WishKind, { from: Role; isOn: boolean }> = {
  answers: { from: 'member', isOn: true },
  'own-posts': { from: 'author', isOn: true },
  followed: { from: 'member', isOn: false },
  waiting: { from: 'admin', isOn: true },
  asked: { from: 'admin', isOn: true },
  reported: { from: 'admin', isOn: true },
};

type Wish = { kind: WishKind; isOn: boolean };

/** The wishes of a viewer's role. */
export async function listWishes(db: Kysely<Tables>, viewer: Viewer): Promise<{ wishes: Wish[] }> {
  const rows = await db
    .selectFrom('mail_wishes')
    .selectAll()
    .where('user_id', '=', viewer.user?.id ?? '')
    .execute();
  const wished = new Map(rows.map(row => [row.kind, Boolean(row.is_on)]));
  const mine = wishKinds.filter(kind => !isLessThan(viewer.role, kinds[kind].from));
  return { wishes: mine.map(kind => ({ kind, isOn: wished.get(kind) ?? kinds[kind].isOn })) };
}

/** Sets a wish within a transaction whose caller has the right, or has a signed link. */
export async function setWish(
  context: Pick<WriteContext, 'db' | 'holdRights'>,
  userId: string,
  kind: WishKind,
  isOn: boolean,
): Promise<void> {
  await inTransaction(context, async trx => {
    await trx
      .insertInto('mail_wishes')
      .values({ user_id: userId, kind, is_on: isOn })
      .onConflict(conflict => conflict.columns(['user_id', 'kind']).doUpdateSet({ is_on: isOn }))
      .execute();
  });
}

/** The first of these wishes that a viewer currently has. */
export async function firstWished(
  db: Kysely<Tables>,
  viewer: Viewer,
  asked: readonly WishKind[],
): Promise<WishKind | undefined> {
  const { wishes } = await listWishes(db, viewer);
  return asked.find(kind => wishes.some(wish => wish.kind === kind && wish.isOn));
}
