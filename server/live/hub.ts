import { AppError } from '../../contract/errors.ts';
import { type PostAccess, postAccess } from '../access/posts.ts';
import { describeViewer, type Viewer, visitor } from '../access/viewer.ts';
import { viewersOfSessions } from '../accounts/session-viewers.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { TableName } from '../db/changes.ts';
import type { Deps } from '../deps.ts';
import { describeChange, PostWatch } from './post-watch.ts';
import { frame, heartbeat, LiveReader } from './reader.ts';
import type { Bytes, Sink } from './sink.ts';

/** Tabs of one account, on all its devices. Addresses are bounded by their connections. */
export const streamsPerAccount = 32;
const streamsInAll = 20_000;
/** Within the idle time of common proxies (60 s). Also when sessions are asked again, for one that has run out. */
const heartbeatMs = 25_000;
/** Changes within this time are looked at together. Milliseconds. */
const restMs = 50;
const retryMs = 1_000;

const rightsTables: readonly TableName[] = ['users', 'sessions', 'approved_tags', 'default_tags'];
const contentTables: readonly TableName[] = ['posts', 'comments', 'tags', 'tag_sets', 'tag_set_tags'];

type Watched = { watch: PostWatch; readers: Set<LiveReader> };

/**
 * All open streams of this process. Nothing is pushed by the writer: committed changes, of this process and of others,
 * wake the hub, which asks the database once a post and tells every reader who may still know.
 */
export class LiveHub {
  readonly #deps: Deps;
  readonly #sessions: Sessions;
  readonly #readers = new Set<LiveReader>();
  readonly #watched = new Map<string, Watched>();
  /** One thing at a time, so that no reader is told of a change before they were told the state. */
  #turn: Promise<unknown> = Promise.resolve();
  #seen = { rights: -1, content: -1 };
  #isAwake = false;
  #sleep: (() => void) | undefined;

  constructor(deps: Deps, sessions: Sessions) {
    this.#deps = deps;
    this.#sessions = sessions;
    deps.stopping.addEventListener('abort', () => {
      for (const reader of this.#readers) reader.close();
    });
  }

  /** How many streams are open, and how many posts are watched for them. */
  get size(): { readers: number; posts: number } {
    return { readers: this.#readers.size, posts: this.#watched.size };
  }

  /**
   * A stream for whoever the request's session says. Null for a visitor, for whom nothing is live. Throws
   * resource-exhausted when the account, or the server, has too many. `open` makes the way to its reader once it is sure that there will be one.
   */
  async open(
    request: Headers,
    reply: Headers,
    postIds: readonly string[],
    open: () => Sink,
  ): Promise<LiveReader | null> {
    if (this.#deps.stopping.aborted) throw new AppError('unavailable', 'The server is stopping.');
    const version = this.#deps.changes.version(rightsTables);
    const { viewer, credential } = await this.#sessions.identify(request, reply);
    const { user } = viewer;
    if (user === null || credential?.kind !== 'session') return null;
    let own = 0;
    for (const reader of this.#readers) if (reader.viewer.user?.id === user.id) own += 1;
    if (own >= streamsPerAccount || this.#readers.size >= streamsInAll) {
      throw new AppError('resource-exhausted', 'Too many pages are open. Close some of them.');
    }
    const reader = new LiveReader(credential.id, viewer, open(), ended => this.#leave(ended));
    this.#readers.add(reader);
    this.#sleep ??= this.#start();
    this.#take(async () => {
      // A right that was lost while the session was being looked up counts here.
      if (this.#deps.changes.version(rightsTables) !== version) await this.#refreshViewers([reader]);
      reader.send(frame('viewer', describeViewer(reader.viewer)));
      for (const postId of postIds) await this.#join(reader, postId);
    }).catch(error => {
      this.#deps.log.error({ err: error }, 'a live stream could not be opened');
      reader.close();
    });
    return reader;
  }

  /** Watches the changes for as long as there is a reader. */
  #start(): () => void {
    this.#seen = {
      rights: this.#deps.changes.version(rightsTables),
      content: this.#deps.changes.version(contentTables),
    };
    const unsubscribe = this.#deps.changes.subscribe(() => this.#wake());
    const beat = setInterval(() => {
      for (const reader of this.#readers) reader.send(heartbeat);
      this.#seen.rights = -1;
      this.#wake();
    }, heartbeatMs).unref();
    return () => {
      unsubscribe();
      clearInterval(beat);
    };
  }

  #take<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #join(reader: LiveReader, postId: string): Promise<void> {
    if (!reader.isOpen) return;
    const known = this.#watched.get(postId);
    const watch = known?.watch ?? new PostWatch(postId);
    const access = await (known === undefined ? watch.start(this.#deps) : postAccess(this.#deps, postId));
    const refusal = refusalFor(access, reader.viewer);
    if (refusal !== undefined) {
      reader.send(frame('gone', { postId, reason: refusal }));
      return;
    }
    // They may have left meanwhile, and then nobody would take them off again.
    if (!reader.isOpen) return;
    const watched = known ?? { watch, readers: new Set() };
    this.#watched.set(postId, watched);
    watched.readers.add(reader);
    reader.postIds.add(postId);
    reader.send(frame('state', watch.state));
  }

  #leave(reader: LiveReader): void {
    this.#readers.delete(reader);
    for (const postId of reader.postIds) this.#part(reader, postId);
    if (this.#readers.size > 0) return;
    this.#sleep?.();
    this.#sleep = undefined;
  }

  #part(reader: LiveReader, postId: string): void {
    reader.postIds.delete(postId);
    const watched = this.#watched.get(postId);
    watched?.readers.delete(reader);
    if (watched?.readers.size === 0) this.#watched.delete(postId);
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    let rest = restMs;
    this.#take(() => this.#look())
      .catch(error => {
        this.#deps.log.error({ err: error }, 'live streams could not be told');
        this.#seen = { rights: -1, content: -1 };
        rest = retryMs;
      })
      .finally(() => {
        setTimeout(() => {
          this.#isAwake = false;
          // What changed during the look or the rest has found nobody to wake.
          if (this.#sleep !== undefined && this.#isBehind()) this.#wake();
        }, rest).unref();
      });
  }

  #isBehind(): boolean {
    const { changes } = this.#deps;
    return (
      changes.version(rightsTables) !== this.#seen.rights ||
      changes.version(contentTables) !== this.#seen.content
    );
  }

  /** Rights first: nobody is told what they may no longer know. */
  async #look(): Promise<void> {
    if (this.#sleep === undefined) return;
    const rights = this.#deps.changes.version(rightsTables);
    const content = this.#deps.changes.version(contentTables);
    const haveRightsChanged = rights !== this.#seen.rights;
    if (haveRightsChanged) await this.#refreshViewers([...this.#readers]);
    if (haveRightsChanged || content !== this.#seen.content) {
      for (const watched of [...this.#watched.values()]) await this.#tell(watched);
    }
    this.#seen = { rights, content };
  }

  async #refreshViewers(readers: readonly LiveReader[]): Promise<void> {
    const defaults = (await this.#deps.catalogue()).defaultTagIds;
    const viewers = await viewersOfSessions(
      this.#deps.db,
      [...new Set(readers.map(reader => reader.sessionId))],
      defaults,
    );
    for (const reader of readers) {
      const viewer = viewers.get(reader.sessionId) ?? visitor(defaults);
      const isChanged = !isSame(viewer, reader.viewer);
      reader.viewer = viewer;
      if (isChanged) reader.send(frame('viewer', describeViewer(viewer)));
      if (viewer.user === null) reader.close();
    }
  }

  async #tell({ watch, readers }: Watched): Promise<void> {
    const { postId } = watch;
    const access = await postAccess(this.#deps, postId);
    for (const reader of [...readers]) {
      const refusal = refusalFor(access, reader.viewer);
      if (refusal === undefined) continue;
      this.#part(reader, postId);
      reader.send(frame('gone', { postId, reason: refusal }));
    }
    if (access === undefined || readers.size === 0) return;
    const change = await watch.look(this.#deps, access);
    if (change === undefined) return;
    // Who wrote one of the comments, or is an admin, is told that they may delete; all others the same bytes.
    const authors = new Set(change.added.map(row => row.user_id));
    const frames = new Map<string, Bytes>();
    for (const reader of [...readers]) {
      const { role, user } = reader.viewer;
      const kind = role === 'admin' ? 'admin' : user !== null && authors.has(user.id) ? user.id : '';
      const bytes = frames.get(kind) ?? frame('comments', describeChange(postId, change, reader.viewer));
      frames.set(kind, bytes);
      reader.send(bytes);
    }
  }
}

/** Comments are for approved readers of their post (decisions.md 13). */
function refusalFor(
  access: PostAccess | undefined,
  viewer: Viewer,
): 'not-found' | 'permission-denied' | undefined {
  if (access === undefined) return 'not-found';
  return viewer.role === 'visitor' ? 'permission-denied' : access.decide(viewer).refusal;
}

function isSame(a: Viewer, b: Viewer): boolean {
  return (
    JSON.stringify(describeViewer(a)) === JSON.stringify(describeViewer(b)) &&
    a.tagIds.size === b.tagIds.size &&
    [...a.tagIds].every(id => b.tagIds.has(id))
  );
}
