/**
 * The key of a recorded change of the database, as its triggers write it
 * (server/db/migrations/0041-first-release/changes.ts): `post` is what readers are shown of a post but for
 * its counts; `timeline` what enters, leaves or moves in lists; `viewer` an account with its rights, and
 * `viewers` any of them; `tags` all tags, combinations and default tags; `published` how many posts carry
 * each combination; `likes` the likes of one account; `reading` what one account has opened and chosen about
 * reading; `schema` a migration that ends older programs; `comment` a comment, as `POST/COMMENT`. Two are in
 * no row: what depends on `anything` is dropped with every change, and what depends on `now` is not cached.
 */
export type ChangeKey =
  | 'timeline'
  | 'tags'
  | 'published'
  | 'settings'
  | 'viewers'
  | 'anything'
  | 'now'
  | `${'schema' | 'post' | 'counts' | 'likes' | 'reading' | 'comment' | 'viewer' | 'session' | 'token'}:${string}`;
