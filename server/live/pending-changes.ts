import type { Changed } from '../db/changes/record.ts';

/** The accounts, sessions and posts that the open streams of a process follow. */
type Followed = Readonly<
  Record<'bySession' | 'byUser', { has(id: string): boolean }> & {
    byPost: { has(id: string): boolean; readonly ids: readonly string[] };
  }
>;

/** Changes to followed posts and people that the streams have not received yet. */
export class PendingChanges {
  readonly #followed: Followed;
  /** Accounts and sessions whose rights may have changed; `isAll` for everybody's. */
  #people: { users: Set<string>; sessions: Set<string>; isAll: boolean } = nobody();
  /** Posts, each with its added or deleted comments. */
  #posts = new Map<string, Set<string>>();
  /** The posts whose readers may have changed, or which may be deleted. */
  #withOtherReaders = new Set<string>();
  /** Whether the default tags have changed, which may share or hide any post. */
  #mayAllHaveOtherReaders = false;
  #mayEndRights = false;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  get isEmpty(): boolean {
    const { users, sessions, isAll } = this.#people;
    return !isAll && users.size === 0 && sessions.size === 0 && this.#posts.size === 0;
  }

  /** Whether one of these changes may have taken a right from somebody. */
  get mayEndRights(): boolean {
    return this.#mayEndRights;
  }

  add(changed: Exclude<Changed, 'all'>): void {
    for (const change of changed) {
      const colon = change.indexOf(':');
      const kind = colon < 0 ? change : change.slice(0, colon);
      const id = change.slice(colon + 1);
      // The rights of every viewer include the default tags.
      if (kind === 'tags') this.#people.isAll = this.#mayEndRights = this.#mayAllHaveOtherReaders = true;
      else if (kind === 'viewer') this.#addIf(this.#followed.byUser.has(id), this.#people.users, id);
      else if (kind === 'session') this.#addIf(this.#followed.bySession.has(id), this.#people.sessions, id);
      else if (kind === 'counts') this.addPost(id);
      else if (kind === 'post') this.#addIf(this.addPost(id), this.#withOtherReaders, id);
      // A setting closes posts to comments after some days.
      else if (kind === 'settings') for (const followed of this.#followed.byPost.ids) this.addPost(followed);
      else if (kind === 'comment') {
        const [postId = '', commentId = ''] = id.split('/');
        this.addPost(postId, [commentId]);
      }
    }
  }

  #addIf(isFollowed: boolean, ids: Set<string>, id: string): void {
    if (!isFollowed) return;
    ids.add(id);
    this.#mayEndRights = true;
  }

  addEverybody(): void {
    this.#people.isAll = true;
  }

  addSession(sessionId: string): void {
    this.#people.sessions.add(sessionId);
  }

  addPost(postId: string, commentIds: Iterable<string> = []): boolean {
    if (!this.#followed.byPost.has(postId)) return false;
    const known = this.#posts.get(postId) ?? new Set();
    for (const id of commentIds) known.add(id);
    this.#posts.set(postId, known);
    return true;
  }

  /** Whether a change since the posts were last taken may have given or taken a post, or deleted it. */
  mayHaveOtherReaders(postId: string): boolean {
    return this.#mayAllHaveOtherReaders || this.#withOtherReaders.has(postId);
  }

  /** Whether comments of a post were added or deleted since the posts were last taken. */
  hasComments(postId: string): boolean {
    return (this.#posts.get(postId)?.size ?? 0) > 0;
  }

  takePeople(): { users: ReadonlySet<string>; sessions: ReadonlySet<string>; isAll: boolean } {
    const taken = this.#people;
    this.#people = nobody();
    this.#mayEndRights = false;
    return taken;
  }

  takePosts(): ReadonlyMap<string, ReadonlySet<string>> {
    const taken = this.#posts;
    this.#posts = new Map();
    this.#withOtherReaders = new Set();
    this.#mayAllHaveOtherReaders = false;
    return taken;
  }
}

function nobody() {
  return { users: new Set<string>(), sessions: new Set<string>(), isAll: false };
}
