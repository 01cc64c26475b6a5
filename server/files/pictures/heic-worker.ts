import { parentPort, workerData } from 'node:worker_threads';
import libheif from 'libheif-js/wasm-bundle.js';
import type { HeicAnswer, HeicRequest } from './heic.ts';

/**
 * The thread that decodes one HEIC picture (heic.ts) and ends. The size is checked before anything is
 * decoded. Answers undefined for a picture that it cannot read.
 */
async function decode({ bytes, maxPixels }: HeicRequest): Promise<HeicAnswer> {
  await libheif.ready;
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find(one => one.is_primary()) ?? images[0];
  if (image === undefined) return undefined;
  const width = image.get_width();
  const height = image.get_height();
  if (width * height > maxPixels) return 'too large';
  const data = new Uint8ClampedArray(width * height * 4);
  const shown = await new Promise<object | null>(resolve => {
    image.display({ data, width, height }, resolve);
  });
  return shown === null ? undefined : { data, width, height };
}

const answer = await decode(workerData as HeicRequest);
parentPort?.postMessage(answer, typeof answer === 'object' ? [answer.data.buffer] : []);
