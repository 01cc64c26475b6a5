/** Whether a browser without the video's codec plays only its sound. */
export function isHeardOnly(player: HTMLMediaElement): boolean {
  const isLoaded = player.readyState >= HTMLMediaElement.HAVE_METADATA;
  return isLoaded && player instanceof HTMLVideoElement && player.videoWidth === 0;
}
