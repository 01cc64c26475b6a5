/** The largest width of a poster, in pixels. */
const maxWidth = 1_280;
/** The time of the frame in seconds, or the middle of a shorter video: videos often begin with black. */
const frameAt = 1;
/** How long a browser may take to find the frame, in milliseconds. */
const patienceMs = 15_000;

/**
 * A frame of a video as a picture, made by the author's browser (specification section 2, "Video has controls
 * and a poster"). Null for a video that this browser cannot show.
 */
export async function posterOf(file: File): Promise<File | null> {
  const video = document.createElement('video');
  video.muted = true;
  video.preload = 'auto';
  const address = URL.createObjectURL(file);
  try {
    const loaded = happens(video, 'loadeddata');
    video.src = address;
    await loaded;
    if (Number.isFinite(video.duration) && video.duration > 0) {
      const found = happens(video, 'seeked');
      video.currentTime = Math.min(frameAt, video.duration / 2);
      await found;
    }
    const picture = await drawn(video);
    return picture && new File([picture], `${file.name}.jpg`, { type: 'image/jpeg' });
  } catch {
    return null;
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(address);
  }
}

/** Resolves with an event of a video; rejects when it fails or takes too long. */
function happens(video: HTMLVideoElement, event: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
    video.addEventListener(event, () => resolve(), { once: true });
    video.addEventListener('error', () => reject(video.error), { once: true });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function drawn(video: HTMLVideoElement): Promise<Blob | null> {
  const { videoWidth, videoHeight } = video;
  // A file with sound only has no picture.
  if (videoWidth === 0 || videoHeight === 0) return null;
  const scale = Math.min(1, maxWidth / videoWidth);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(videoWidth * scale);
  canvas.height = Math.round(videoHeight * scale);
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return await new Promise(resolve => canvas.toBlob(resolve, 'image/jpeg', 0.85));
}
