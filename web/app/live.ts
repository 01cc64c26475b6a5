import type { LiveEvents } from '../../contract/live.ts';

/** What a page hears of the comments of a post that it shows. */
export type PostListener = {
  /** How the post stands now, after each connection: what was missed meanwhile can be told from it. */
  onState(state: LiveEvents['state']): void;
  onChange(change: LiveEvents['comments']): void;
  onRevoked(gone: LiveEvents['gone']): void;
  /** No stream can be had for now: ask the server instead. */
  onDisconnected(): void;
};

type ViewerListener = (viewer: LiveEvents['viewer']) => void;

/** After a lost connection, spread so that a restarted server is not met by every tab at once. Milliseconds. */
const retryMs = { from: 500, to: 2_000, refused: 15_000 };

/**
 * The one connection of this tab: who its reader is, and the comments of the posts that it shows. A hidden tab has none
 * (a browser opens six to a server in all), and catches up when it is seen again.
 */
const posts = new Map<string, PostListener>();
let viewerListener: ViewerListener | undefined;
let source: EventSource | undefined;
let address = '';
let timer: number | undefined;

/** Follows the comments of a post. Returns the function that ends it. */
export function followPost(postId: string, listener: PostListener): () => void {
  posts.set(postId, listener);
  reconnectSoon(0);
  return () => {
    if (posts.get(postId) !== listener) return;
    posts.delete(postId);
    reconnectSoon(0);
  };
}

/** Follows who is signed in, for as long as somebody is. Returns the function that ends it. */
export function followViewer(listener: ViewerListener): () => void {
  viewerListener = listener;
  document.addEventListener('visibilitychange', connect);
  window.addEventListener('online', connect);
  // A page that is kept for the back button must not hold a connection.
  window.addEventListener('pagehide', disconnect);
  window.addEventListener('pageshow', connect);
  reconnectSoon(0);
  return () => {
    viewerListener = undefined;
    document.removeEventListener('visibilitychange', connect);
    window.removeEventListener('online', connect);
    window.removeEventListener('pagehide', disconnect);
    window.removeEventListener('pageshow', connect);
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

function connect(): void {
  if (viewerListener === undefined || document.hidden) {
    disconnect();
    return;
  }
  const wanted = `/live?${[...posts.keys()].map(id => `post=${id}`).join('&')}`;
  if (source !== undefined && wanted === address) return;
  disconnect();
  address = wanted;
  const opened = new EventSource(wanted);
  source = opened;
  on(opened, 'viewer', viewer => viewerListener?.(viewer));
  on(opened, 'state', state => posts.get(state.postId)?.onState(state));
  on(opened, 'comments', change => posts.get(change.postId)?.onChange(change));
  on(opened, 'gone', gone => posts.get(gone.postId)?.onRevoked(gone));
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    // The browser gives up where the server refused; a line that broke is tried again soon.
    const isRefused = opened.readyState === EventSource.CLOSED;
    disconnect();
    for (const listener of posts.values()) listener.onDisconnected();
    reconnectSoon(isRefused ? retryMs.refused : retryMs.from + Math.random() * (retryMs.to - retryMs.from));
  });
}

function on<Name extends keyof LiveEvents>(
  events: EventSource,
  name: Name,
  listener: (data: LiveEvents[Name]) => void,
): void {
  // The server writes each event as the contract says.
  events.addEventListener(name, event => listener(JSON.parse(event.data)));
}
