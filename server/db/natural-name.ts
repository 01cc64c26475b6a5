import { sql } from 'kysely';

/**
 * A username with its last number at full length, so that member2 comes before member10. The index
 * `users_by_list` holds the same expression.
 */
export const naturalName = sql<string>`(rtrim(username, '0123456789')
  || substr('0000000000000000000000000000000000000000', 1, 40 - length(username) + length(rtrim(username, '0123456789')))
  || substr(username, length(rtrim(username, '0123456789')) + 1))`;
