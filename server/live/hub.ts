import { AppError } from '../../contract/errors.ts';
import { keyOfTags, type Refusal } from '../access/audience.ts';
import type { PostAccess } from '../access/posts.ts';
import { describeViewer, type Viewer, visitor } from '../access/viewer.ts';
import { type SessionViewer, viewersOfSessions } from '../accounts/sessions/session-viewers.ts';
import type { Sessions } from '../accounts/sessions/sessions.ts';
import { counters } from '../base/counters.ts';
import type { Changed } from '../db/changes/record.ts';
import type { Deps } from '../deps.ts';
import { Heartbeats } from './heartbeat.ts';
import { PendingChanges } from './pending-changes.ts';
import { commentEvents, describeState, type PostUpdate, readUpdates } from './post-updates.ts';
import { LiveReader, sseEvent } from './reader.ts';
import { LiveReaders, type SentState } from './readers.ts';
import type { Sink } from './sink.ts';

/** The most tabs of one account, on all its devices. Addresses are bounded by their connections. */
export const streamsPerAccount = 32;
const streamsInAll = 20_000;
/** In milliseconds. Changes within this time are handled together. */
const pauseMs = 50;
const retryMs = 1_000;

/**
 * All open streams of this process. Writers push nothing: the record of changes, of this process and of
 * others, says which posts and people are affected, and an update queries the database only about these.
 */
export class LiveHub {
  readonly #deps: Deps;
  readonly #sessions: Sessions;
  readonly #readers = new LiveReaders();
  readonly #pending = new PendingChanges(this.#readers);
  readonly #heartbeats = new Heartbeats();
  #isUpdating = false;
  /** When the oldest change still waiting for an update arrived (`performance.now()`). */
  #waitingSince: number | undefined;
  #stop: (() => void) | undefined;
  /** Ends the pause after an update early; undefined outside of a pause. */
  #endPause: (() => void) | undefined;

  constructor(deps: Deps, sessions: Sessions) {
    this.#deps = deps;
    this.#sessions = sessions;
    deps.stopping.addEventListener('abort', () => {
      for (const reader of this.#readers.all) reader.close();
    });
  }

  /**
   * Opens a stream for the viewer of the request's session. Returns null for a visitor, who gets no events.
   * Throws resource-exhausted if the account or the server has too many. `open` is called only if the stream
   * is allowed.
   */
  async open(
    requestHeaders: Headers,
    replyHeaders: Headers,
    postIds: readonly string[],
    open: () => Sink,
  ): Promise<LiveReader | null> {
    const { viewer, credential } = await this.#sessions.identify(requestHeaders, replyHeaders);
    const { user } = viewer;
    if (user === null || credential?.kind !== 'session') return null;
    await this.#deps.limits.countStream(user.id);
    // Nothing is awaited between this and `add`: streams that are opened at the same moment count, too, and
    // none is opened after the others were closed for the stop.
    if (this.#deps.stopping.aborted) throw new AppError('unavailable', 'The server is stopping.');
    const { all, byUser } = this.#readers;
    if (byUser.countOf(user.id) >= streamsPerAccount || all.size >= streamsInAll) {
      throw new AppError('resource-exhausted', 'You have too many pages open. Close some of them.');
    }
    const opened = { sessionId: credential.id, userId: user.id, viewer, postIds };
    const reader = new LiveReader(opened, open(), ended => this.#leave(ended));
    this.#readers.add(reader);
    this.#heartbeats.add(reader);
    this.#stop ??= this.#start();
    // The viewer may have lost a right while the session was being looked up.
    this.#pending.addSession(credential.id);
    for (const postId of postIds) this.#pending.addPost(postId);
    this.#startUpdate();
    return reader;
  }

  /** Listens to changes while there is a reader. */
  #start(): () => void {
    const stopWatching = this.#deps.changes.watch(changed => this.#note(changed));
    this.#heartbeats.start(this.#deps.clock, reader => {
      this.#pending.addSession(reader.sessionId);
      this.#startUpdate();
    });
    return () => {
      stopWatching();
      this.#heartbeats.stop();
    };
  }

  #note(changed: Changed): void {
    if (changed === 'all') this.#expectEverything();
    else this.#pending.add(changed);
    if (this.#pending.isEmpty) return;
    this.#waitingSince ??= performance.now();
    this.#startUpdate();
    // A reader who has lost a right must not wait until other changes are collected.
    if (this.#pending.mayEndRights) this.#endPause?.();
  }

  /** If single changes are unknown, every reader gets the current state of their posts. */
  #expectEverything(): void {
    this.#pending.addEverybody();
    for (const reader of this.#readers.all) {
      for (const postId of reader.postIds) reader.awaitingState.add(postId);
    }
    for (const postId of this.#readers.byPost.ids) this.#pending.addPost(postId);
  }

  #leave(reader: LiveReader): void {
    this.#readers.remove(reader);
    this.#heartbeats.remove(reader);
    if (this.#readers.all.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #startUpdate(): void {
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    let hasFailed = false;
    const since = this.#waitingSince;
    this.#waitingSince = undefined;
    this.#update()
      .then(() => {
        if (since === undefined) return;
        counters.live.updates += 1;
        counters.live.waitedMs += performance.now() - since;
      })
      .catch(error => {
        this.#deps.log.error({ err: error }, 'live streams could not be updated');
        this.#expectEverything();
        hasFailed = true;
      })
      .finally(() => {
        const end = () => {
          clearTimeout(timer);
          this.#endPause = undefined;
          this.#isUpdating = false;
          // Changes during this update or the pause after it have not started another one.
          if (this.#readers.all.size > 0 && !this.#pending.isEmpty) this.#startUpdate();
        };
        const timer = setTimeout(end, hasFailed ? retryMs : pauseMs).unref();
        if (hasFailed) return;
        this.#endPause = end;
        if (this.#pending.mayEndRights) end();
      });
  }

  /** Updates rights first, so that nobody is sent what they may no longer read. */
  async #update(): Promise<void> {
    await this.#refreshViewers();
    const changed = this.#pending.takePosts();
    if (changed.size === 0) return;
    const updates = await readUpdates(this.#deps, changed, (id, access) => this.#hasReader(id, access));
    // The posts may have been written after somebody lost a right, which this process does not know yet.
    await this.#deps.changes.caughtUp();
    await this.#refreshViewers();
    for (const [postId, commentIds] of changed) {
      const update = updates.get(postId);
      // Read again if another reader may read it now, or if its counts may include a comment that is missing.
      const hasReaderNow = update?.hasReader === false && this.#hasReader(postId, update.access);
      const isBehind = this.#pending.mayHaveOtherReaders(postId) || this.#pending.hasComments(postId);
      if (hasReaderNow || isBehind) this.#pending.addPost(postId, commentIds);
      else this.#send(postId, update);
    }
  }

  /** Whether any follower of a post may read its comments. */
  #hasReader(postId: string, access: PostAccess): boolean {
    const refusalOf = refusals(access);
    return this.#readers.byPost.of(postId).some(reader => refusalOf(reader.viewer) === undefined);
  }

  /** Looks up the viewers whose rights may have changed, and sends changed rights to their streams. */
  async #refreshViewers(): Promise<void> {
    const { users, sessions, isAll } = this.#pending.takePeople();
    const readers = isAll
      ? new Set(this.#readers.all)
      : new Set([
          ...[...users].flatMap(id => this.#readers.byUser.of(id)),
          ...[...sessions].flatMap(id => this.#readers.bySession.of(id)),
        ]);
    if (readers.size === 0) return;
    const defaults = (await this.#deps.catalogue()).defaultTagIds;
    const sessionIds = [...new Set([...readers].map(reader => reader.sessionId))];
    const found = await viewersOfSessions(this.#deps, sessionIds, defaults);
    const nobody: SessionViewer = { viewer: visitor(defaults), expiresAt: 0 };
    for (const reader of readers) this.#setViewer(reader, found.get(reader.sessionId) ?? nobody);
  }

  #setViewer(reader: LiveReader, { viewer, expiresAt }: SessionViewer): void {
    const isChanged = !isSame(viewer, reader.viewer);
    reader.viewer = viewer;
    reader.expiresAt = expiresAt;
    if (isChanged || reader.isNew) reader.send(sseEvent('viewer', describeViewer(viewer)));
    reader.isNew = false;
    if (viewer.user === null) reader.close();
    // Whether they may still read their posts is decided when these are read.
    else if (isChanged) for (const postId of reader.postIds) this.#pending.addPost(postId);
  }

  #send(postId: string, update: PostUpdate | undefined): void {
    const { byPost, sent } = this.#readers;
    if (!byPost.has(postId)) return;
    const refusalOf = refusals(update?.access);
    const describe =
      update && hasChanged(update, sent.get(postId)) ? commentEvents(postId, update) : undefined;
    const state = update && sseEvent('state', describeState(postId, update));
    sent.set(postId, update && { ...update.access, closedAt: update.comments.closedAt });
    for (const reader of byPost.of(postId)) {
      // A reader who connected during this update gets this with the next one, after their first event.
      if (reader.isNew) continue;
      const refusal = refusalOf(reader.viewer);
      if (refusal !== undefined) {
        this.#readers.unfollow(reader, postId);
        reader.send(sseEvent('gone', { postId, reason: refusal }));
      } else if (state !== undefined && reader.awaitingState.delete(postId)) {
        reader.send(state);
      } else if (describe !== undefined) {
        reader.send(describe(reader.viewer));
      }
    }
  }
}

/** Whether the post has changed for readers who know its former state. */
function hasChanged(
  { written, removed, access, comments }: PostUpdate,
  sent: SentState | undefined,
): boolean {
  return (
    written.length > 0 ||
    removed.length > 0 ||
    access.likeCount !== sent?.likeCount ||
    access.commentCount !== sent.commentCount ||
    comments.closedAt !== sent.closedAt
  );
}

/**
 * Why a viewer may not read the comments of a post, decided once for all viewers of one audience. Comments
 * are for approved readers of the post (decision 13).
 */
function refusals(access: PostAccess | undefined): (viewer: Viewer) => Refusal | undefined {
  if (access === undefined) return () => 'not-found';
  const known = new Map<string, Refusal | undefined>();
  return viewer => {
    const audience = audienceOf(viewer);
    if (!known.has(audience)) known.set(audience, access.decide(viewer).refusal);
    // A draft is not found, even for viewers who may read no comments at all.
    return known.get(audience) ?? (viewer.role === 'visitor' ? 'permission-denied' : undefined);
  };
}

/** Names the viewers who may read the same posts as this one. */
function audienceOf(viewer: Viewer): string {
  // Authors read their own posts, so two authors with the same tags may not read the same posts.
  const author = viewer.role === 'author' ? viewer.user?.id : '';
  return `${viewer.role} ${author} ${keyOfTags(viewer.tagIds)}`;
}

function isSame(a: Viewer, b: Viewer): boolean {
  return (
    JSON.stringify(describeViewer(a)) === JSON.stringify(describeViewer(b)) && audienceOf(a) === audienceOf(b)
  );
}
