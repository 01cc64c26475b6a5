import { postsPerStream } from '../../contract/constants.ts';
import type { LiveEvents } from '../../contract/live.ts';

/** The callbacks for the comments of a post on the page. */
export type PostListener = {
  /** The current state, after each connection: it shows whether something was missed. */
  onState(state: LiveEvents['state']): void;
  onChange(change: LiveEvents['comments']): void;
  /** The reader may not read the comments any more, or the post was deleted. No more events follow. */
  onGone(gone: LiveEvents['gone']): void;
  /** A stream could not be opened: fetch from the server instead. */
  onDisconnected(): void;
};

export type ViewerListener = {
  onViewer(viewer: LiveEvents['viewer']): void;
  /** The server opens no stream. */
  onRefused(): void;
};

/**
 * The pauses before connecting again, in milliseconds: random, so that not all tabs return to a restarted
 * server at once. After a refusal the browser gives up, so the next attempt waits longer.
 */
const retryMs = { lost: { from: 500, to: 2_000 }, refused: { from: 10_000, to: 20_000 } };

const posts = new Map<string, PostListener>();
let viewerListener: ViewerListener | undefined;
/**
 * The only stream of this tab: events about its reader and about the comments of the posts that it shows. A
 * hidden tab has none (a browser opens only six connections to a server), and catches up when it is visible
 * again.
 */
let source: EventSource | undefined;
let address = '';
let timer: number | undefined;

/** Follows the comments of a post. Returns a function that stops it. */
export function followPost(postId: string, listener: PostListener): () => void {
  posts.set(postId, listener);
  reconnectSoon(0);
  return () => {
    if (posts.get(postId) !== listener) return;
    posts.delete(postId);
    reconnectSoon(0);
  };
}

/** Follows the viewer while somebody is signed in. Returns a function that stops it. */
export function followViewer(listener: ViewerListener): () => void {
  viewerListener = listener;
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener('visibilitychange', connect, { signal });
  window.addEventListener('online', reconnect, { signal });
  // A page in the browser's back/forward cache must not keep a connection.
  window.addEventListener('pagehide', disconnect, { signal });
  window.addEventListener('pageshow', connect, { signal });
  reconnectSoon(0);
  return () => {
    viewerListener = undefined;
    listening.abort();
    disconnect();
  };
}

function reconnectSoon(ms: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(connect, ms);
}

function disconnect(): void {
  window.clearTimeout(timer);
  source?.close();
  source = undefined;
}

/** After a lost network, an open stream may be dead without an error. */
function reconnect(): void {
  disconnect();
  connect();
}

function connect(): void {
  if (viewerListener === undefined || document.hidden) {
    disconnect();
    return;
  }
  const wanted = streamAddress([...posts.keys()]);
  if (source !== undefined && wanted === address) return;
  disconnect();
  address = wanted;
  const opened = new EventSource(wanted);
  source = opened;
  let hasViewer = false;
  on(opened, 'viewer', viewer => {
    hasViewer = true;
    viewerListener?.onViewer(viewer);
  });
  on(opened, 'state', state => posts.get(state.postId)?.onState(state));
  on(opened, 'comments', change => posts.get(change.postId)?.onChange(change));
  on(opened, 'gone', gone => posts.get(gone.postId)?.onGone(gone));
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    const isRefused = opened.readyState === EventSource.CLOSED;
    disconnect();
    // After a stream that worked, the next one says what was missed. A stream begins with the viewer.
    if (!hasViewer) for (const listener of posts.values()) listener.onDisconnected();
    if (isRefused) viewerListener?.onRefused();
    const { from, to } = retryMs[isRefused ? 'refused' : 'lost'];
    reconnectSoon(from + Math.random() * (to - from));
  });
}

/**
 * The address of the stream for these posts, or for the last ones if there are more than a page can follow.
 * The server would refuse the whole stream, and the page would not even learn that its reader has lost their
 * rights.
 */
export function streamAddress(postIds: readonly string[]): string {
  const followed = postIds.slice(-postsPerStream);
  return `/live?${followed.map(id => `post=${id}`).join('&')}`;
}

function on<Name extends keyof LiveEvents>(
  events: EventSource,
  name: Name,
  listener: (data: LiveEvents[Name]) => void,
): void {
  // The server writes events in the format of the contract.
  events.addEventListener(name, event => listener(JSON.parse(event.data)));
}
