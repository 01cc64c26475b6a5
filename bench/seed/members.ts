import type { Kysely } from 'kysely';
import type { UserStatus } from '../../contract/accounts/status.ts';
import { AppError } from '../../contract/errors.ts';
import { findUserId } from '../../server/accounts/members/read.ts';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { passwordHashing } from '../../server/accounts/sign-in/password-hashing.ts';
import type { Tables } from '../../server/db/tables.ts';
import { insertInBatches } from './batches.ts';
import type { Random } from './random.ts';
import { some } from './tags.ts';

const firstNames = [
  'Ada',
  'Bruno',
  'Clara',
  'Daniel',
  'Edith',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kaya',
  'Lena',
];
const lastNames = [
  'Abel',
  'Berg',
  'Costa',
  'Dorn',
  'Engel',
  'Fuchs',
  'Grau',
  'Holm',
  'Ivers',
  'Jung',
  'Keller',
  'Lind',
];
/** The password of every seeded account. */
export const seedPassword = 'password';
const tagsPerMember = 20;

export type SeededMember = { id: string; tagIds: ReadonlySet<string> };

/**
 * Adds approved members with some tags each, and for every ten of them one pending, for every twenty one
 * denied account. Throws already-exists if there are seeded members.
 */
export async function seedMembers(
  db: Kysely<Tables>,
  random: Random,
  { count, tagIds, from, now }: { count: number; tagIds: readonly string[]; from: number; now: number },
): Promise<SeededMember[]> {
  if (count > 0 && (await findUserId(db, 'member1')) !== undefined) {
    throw new AppError('already-exists', 'This site has seeded members already. Add --members 0.');
  }
  const password = await passwordHashing.hash(seedPassword);
  const accounts = [
    ...accountsOf('member', 'approved', count),
    ...accountsOf('pending', 'pending', Math.ceil(count / 10)),
    ...accountsOf('denied', 'denied', Math.ceil(count / 20)),
  ].map(account => ({
    ...account,
    id: random.id(),
    createdAt: from + Math.floor(random.next() * (now - from)),
  }));
  const members = accounts
    .filter(account => account.status === 'approved')
    .map(({ id }) => ({ id, tagIds: new Set(some(random, tagIds, tagsPerMember)) }));

  await insertInBatches(db, accounts, async (trx, batch) => {
    await trx
      .insertInto('users')
      .values(
        batch.map(({ id, username, status, createdAt }) => ({
          id,
          username,
          status,
          name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
          email: `${username}@example.com`,
          email_verified: false,
          image: null,
          created_at: new Date(createdAt).toISOString(),
          updated_at: new Date(createdAt).toISOString(),
          display_username: username,
          approved_at: status === 'approved' ? createdAt : null,
          is_admin: false,
          denied_at: status === 'denied' ? createdAt : null,
        })),
      )
      .execute();
    await trx
      .insertInto('sign_in_methods')
      .values(
        batch.map(({ id, createdAt }) =>
          signInMethod({ id: random.id(), userId: id, passwordHash: password, createdAt }),
        ),
      )
      .execute();
  });
  const grants = members.flatMap(member =>
    [...member.tagIds].map(tag_id => ({ user_id: member.id, tag_id })),
  );
  await insertInBatches(db, grants, async (trx, batch) => {
    await trx.insertInto('approved_tags').values(batch).execute();
  });
  return members;
}

function accountsOf(name: string, status: UserStatus, count: number) {
  return Array.from({ length: count }, (_, index) => ({ username: `${name}${index + 1}`, status }));
}
