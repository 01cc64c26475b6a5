import type { Kysely } from 'kysely';
import * as firstRelease from './0041-first-release/index.ts';
import * as authorsOfCombinations from './0042-authors-of-combinations.ts';
import * as countsOfUsers from './0043-counts-of-users.ts';

type NumberedMigration = {
  up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void>;
  /** Programs that do not know it must not write any more: they would leave out what later ones count on. */
  endsOlder?: boolean;
};

/**
 * In the order they apply. A migration that has been released is never edited, only followed by another. The numbers
 * before the first were steps before the first release (`before-release.ts`).
 */
export const migrations: Record<string, NumberedMigration> = {
  '0041-first-release': firstRelease,
  '0042-authors-of-combinations': authorsOfCombinations,
  '0043-counts-of-users': countsOfUsers,
};
