/**
 * The key of a recorded change of the database. Triggers write it; docs/decisions/0015 lists them as they
 * stand. `post` is what readers are shown of a post but for its counts; `timeline` what enters, leaves or
 * moves in lists; `viewer` an account with its rights, and `viewers` any of them; `tags` all tags,
 * combinations and default tags; `published` how many posts carry each combination; `likes` the likes of one
 * account; `reading` what one account has opened and chosen about reading; `schema` a migration that ends
 * older programs; `search` the words by which posts are found that were indexed later than they changed;
 * `comment` a comment, as `POST/COMMENT`.
 *
 * Three are in no row: `viewers` goes with each `viewer` (server/db/changes/record.ts), what depends on
 * `anything` is dropped with every change, and what depends on `now` is not cached. Rows of the kind `swept`
 * are no keys.
 */
export type ChangeKey =
  | 'timeline'
  | 'tags'
  | 'published'
  | 'settings'
  | 'search'
  | 'viewers'
  | 'anything'
  | 'now'
  | `${'schema' | 'post' | 'counts' | 'likes' | 'reading' | 'comment' | 'viewer' | 'session' | 'token'}:${string}`;
