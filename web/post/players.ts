import { isHeardOnly } from './heard-only.ts';

export type Medium = HTMLImageElement | HTMLMediaElement;

/** Pictures and players with a note below them. */
const explained = new WeakSet<Medium>();
const speedButtons = new WeakMap<HTMLMediaElement, HTMLButtonElement>();
/** The pause before a retry without an answer. Seconds. */
const againSeconds = 15;

const failures = {
  unreachable: 'The site cannot be reached. It plays here once the connection is back.',
  refused: 'It cannot be loaded. It may have been removed, or you may have been logged out.',
};
const beingPrepared = 'This is still being prepared for all browsers. It plays here in a few minutes.';

/** Says what a reader does not see or hear, and what can be done about it. */
export async function explainFailure(medium: Medium): Promise<void> {
  await (medium instanceof HTMLImageElement ? offerAgain(medium) : explainPlayer(medium));
}

/** In place of a picture that was not loaded. One in a link keeps what the browser shows: it is no button. */
async function offerAgain(picture: HTMLImageElement): Promise<void> {
  if (explained.has(picture) || picture.closest('a') !== null) return;
  explained.add(picture);
  // A drawing that is loaded may have no width of its own.
  const isLoaded = await picture.decode().then(
    () => true,
    () => false,
  );
  if (isLoaded) return;
  const note = document.createElement('p');
  note.className = 'player-note';
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'quiet';
  again.textContent = 'Try again';
  note.append(`This picture cannot be loaded${picture.alt && `: ${picture.alt}`}. `, again);
  picture.hidden = true;
  picture.after(note);
  again.addEventListener('click', () => {
    const { src } = picture;
    picture.hidden = false;
    picture.focus();
    note.remove();
    explained.delete(picture);
    // The same address is loaded again, too.
    picture.src = src;
  });
}

/**
 * Says below a video or sound that this browser does not play whether it is still being prepared or cannot be
 * loaded, and loads it again at the same position once it can. For others it offers the file instead of the
 * player.
 */
async function explainPlayer(player: HTMLMediaElement): Promise<void> {
  // A source for another screen width fails, too, and then the next one is played.
  const hasFailed = player.error !== null || player.networkState === HTMLMediaElement.NETWORK_NO_SOURCE;
  const isSoundAlone = !hasFailed && isHeardOnly(player);
  if (!hasFailed && !isSoundAlone) return;
  const source =
    player.querySelector('source:last-of-type')?.getAttribute('src') ?? player.getAttribute('src');
  if (source === null || !source.startsWith('/files/') || explained.has(player)) return;
  explained.add(player);
  const note = document.createElement('p');
  note.className = 'player-note';
  note.setAttribute('role', 'status');
  player.after(note);
  // A player whose connection broke was playing. It waits before the next request, however soon the site
  // answers: a connection that breaks each time would be used endlessly.
  const isLost = player.error?.code === MediaError.MEDIA_ERR_NETWORK;
  let state: State = isLost ? 'unreachable' : await stateOf(source);
  if (state === 'settled') {
    const link = document.createElement('a');
    link.href = `${source}?width=original`;
    link.download = '';
    link.textContent = 'Download it';
    note.append(`This browser ${isSoundAlone ? 'plays only the sound of it' : 'cannot play it'}. `, link);
    if (isSoundAlone) return;
    if (document.activeElement === player) link.focus();
    player.hidden = true;
    speedButtons.get(player)?.remove();
    return;
  }
  while (state !== 'settled' && player.isConnected) {
    note.textContent = typeof state === 'string' ? failures[state] : beingPrepared;
    const seconds = typeof state === 'string' ? againSeconds : state.seconds;
    // The poster is ready minutes before the video.
    if (typeof state === 'object' && state.hasPoster) showPoster(player, source);
    await new Promise(resolve => setTimeout(resolve, seconds * 1_000));
    // A refusal lasts: it may have ended when the reader comes back, from logging in elsewhere.
    if (state === 'refused' || document.hidden) await comesBack();
    if (player.isConnected) state = await stateOf(source);
  }
  note.remove();
  explained.delete(player);
  const place = player.currentTime;
  player.load();
  player.currentTime = place;
}

/** Resolves once the reader has come back to this page. */
async function comesBack(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onChange = () => document.hidden || resolve();
  document.addEventListener('visibilitychange', onChange);
  await promise;
  document.removeEventListener('visibilitychange', onChange);
}

/**
 * The site's answer about a file: `settled` if it is prepared or will not be, `refused` if it is gone or its
 * reader is logged out, or the number of seconds until the next request.
 */
type State = 'settled' | 'unreachable' | 'refused' | { seconds: number; hasPoster: boolean };

const posterOf = (source: string) => `${source}?width=poster`;

/** The browser requested the poster once, when it was not ready. */
function showPoster(player: HTMLMediaElement, source: string): void {
  if (player.dataset.poster !== undefined || !(player instanceof HTMLVideoElement)) return;
  player.dataset.poster = '';
  // Chromium requests the poster of a lazy video once.
  player.removeAttribute('loading');
  player.poster = posterOf(source);
}

async function stateOf(source: string): Promise<State> {
  return await fetch(posterOf(source), { method: 'HEAD' }).then(
    ({ ok, status, headers }) => {
      // A proxy answers even if the site is not running.
      if (!ok) return status < 500 ? 'refused' : 'unreachable';
      const seconds = Number(headers.get('retry-after') ?? 0);
      return seconds === 0 ? 'settled' : { seconds, hasPoster: status === 200 };
    },
    () => 'unreachable',
  );
}

const speeds = [1, 1.25, 1.5, 2];

/** Adds a button for the speed after each sound: not every browser's player has one. */
export function addSpeeds(root: HTMLElement): void {
  for (const sound of root.querySelectorAll('audio')) {
    if (sound.hidden || speedButtons.has(sound)) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet speed';
    const show = () => {
      button.textContent = `Speed ${sound.playbackRate}×`;
      const name = sound.getAttribute('aria-label');
      // Of several sounds each button has a name of its own.
      if (name !== null) button.setAttribute('aria-label', `${button.textContent}: ${name}`);
    };
    button.addEventListener('click', () => {
      sound.playbackRate = speeds[(speeds.indexOf(sound.playbackRate) + 1) % speeds.length] ?? 1;
    });
    sound.addEventListener('ratechange', show);
    show();
    sound.after(button);
    speedButtons.set(sound, button);
  }
}
