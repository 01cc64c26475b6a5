import type { Counts } from '../access/posts.ts';
import { counters } from '../base/counters.ts';
import type { CommentsState } from '../posts/comments-state.ts';
import type { LiveReader } from './reader.ts';

/** The state of a post that its readers have, besides its comments. */
export type SentState = Counts & Pick<CommentsState, 'closedAt'>;

/** Open streams by an id. */
class ReadersById {
  readonly #readers = new Map<string, Set<LiveReader>>();

  get ids(): string[] {
    return [...this.#readers.keys()];
  }

  has(id: string): boolean {
    return this.#readers.has(id);
  }

  of(id: string): LiveReader[] {
    return [...(this.#readers.get(id) ?? [])];
  }

  countOf(id: string): number {
    return this.#readers.get(id)?.size ?? 0;
  }

  add(id: string, reader: LiveReader): void {
    const known = this.#readers.get(id);
    if (known === undefined) this.#readers.set(id, new Set([reader]));
    else known.add(reader);
  }

  remove(id: string, reader: LiveReader): void {
    const known = this.#readers.get(id);
    known?.delete(reader);
    if (known?.size === 0) this.#readers.delete(id);
  }
}

/** The open streams, by session, account and post. */
export class LiveReaders {
  readonly all = new Set<LiveReader>();
  readonly bySession = new ReadersById();
  readonly byUser = new ReadersById();
  readonly byPost = new ReadersById();
  /** The state of each post as its readers last received it. */
  readonly sent = new Map<string, SentState | undefined>();

  add(reader: LiveReader): void {
    this.all.add(reader);
    counters.live.readers += 1;
    this.bySession.add(reader.sessionId, reader);
    this.byUser.add(reader.userId, reader);
    for (const postId of reader.postIds) this.byPost.add(postId, reader);
  }

  remove(reader: LiveReader): void {
    if (this.all.delete(reader)) counters.live.readers -= 1;
    this.bySession.remove(reader.sessionId, reader);
    this.byUser.remove(reader.userId, reader);
    for (const postId of reader.postIds) this.unfollow(reader, postId);
  }

  /** Records that a reader no longer follows a post. */
  unfollow(reader: LiveReader, postId: string): void {
    reader.postIds.delete(postId);
    this.byPost.remove(postId, reader);
    if (!this.byPost.has(postId)) this.sent.delete(postId);
  }
}
