import type { Counts } from '../access/posts.ts';
import type { LiveReader } from './reader.ts';

/** The readers who follow a post, and the counts that they know. */
export type Followers = { readers: ReadonlySet<LiveReader>; counts: Counts | undefined };

/** The open streams, indexed by session, account and post. */
export class LiveReaders {
  readonly #all = new Set<LiveReader>();
  readonly #bySession = new Map<string, Set<LiveReader>>();
  readonly #byUser = new Map<string, Set<LiveReader>>();
  readonly #byPost = new Map<string, { readers: Set<LiveReader>; counts: Counts | undefined }>();

  get size(): number {
    return this.#all.size;
  }

  get postIds(): string[] {
    return [...this.#byPost.keys()];
  }

  add(reader: LiveReader): void {
    this.#all.add(reader);
    put(this.#bySession, reader.sessionId, reader);
    put(this.#byUser, reader.userId, reader);
    for (const postId of reader.postIds) {
      const followers = this.#byPost.get(postId);
      if (followers === undefined)
        this.#byPost.set(postId, { readers: new Set([reader]), counts: undefined });
      else followers.readers.add(reader);
    }
  }

  remove(reader: LiveReader): void {
    this.#all.delete(reader);
    drop(this.#bySession, reader.sessionId, reader);
    drop(this.#byUser, reader.userId, reader);
    for (const postId of reader.postIds) this.#unfollow(reader, postId);
  }

  /** Notes that a reader no longer follows a post. */
  part(reader: LiveReader, postId: string): void {
    reader.postIds.delete(postId);
    this.#unfollow(reader, postId);
  }

  #unfollow(reader: LiveReader, postId: string): void {
    const followers = this.#byPost.get(postId);
    followers?.readers.delete(reader);
    if (followers?.readers.size === 0) this.#byPost.delete(postId);
  }

  all(): readonly LiveReader[] {
    return [...this.#all];
  }

  ofSession(id: string): readonly LiveReader[] {
    return [...(this.#bySession.get(id) ?? [])];
  }

  ofUser(id: string): readonly LiveReader[] {
    return [...(this.#byUser.get(id) ?? [])];
  }

  ofPost(id: string): Followers | undefined {
    return this.#byPost.get(id);
  }

  countOfUser(id: string): number {
    return this.#byUser.get(id)?.size ?? 0;
  }

  hasSession(id: string): boolean {
    return this.#bySession.has(id);
  }

  hasUser(id: string): boolean {
    return this.#byUser.has(id);
  }

  hasPost(id: string): boolean {
    return this.#byPost.has(id);
  }
}

function put<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function drop<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
