/** Whether a browser that does not know how a video's pictures are written plays the sound of it alone. */
export function isHeardOnly(player: HTMLMediaElement): boolean {
  const isLoaded = player.readyState >= HTMLMediaElement.HAVE_METADATA;
  return isLoaded && player instanceof HTMLVideoElement && player.videoWidth === 0;
}
