/**
 * The key of a recorded change of the database, as its triggers write it
 * (server/db/migrations/0041-first-release/changes.ts): `post` is what readers are shown of a post but for
 * its counts; `timeline` what enters, leaves or moves in lists; `viewer` an account with its rights, and
 * `viewers` any of them; `tags` all tags, combinations and default tags; `published` how many posts carry
 * each combination; `likes` the likes of one account; `schema` a migration that ends older programs;
 * `comment` a comment, as `POST/COMMENT`. `anything` is in no row: what depends on it is dropped with every
 * change.
 */
export type ChangeKey =
  | 'timeline'
  | 'tags'
  | 'published'
  | 'settings'
  | 'viewers'
  | 'anything'
  | `${'schema' | 'post' | 'counts' | 'likes' | 'comment' | 'viewer' | 'session' | 'token'}:${string}`;
