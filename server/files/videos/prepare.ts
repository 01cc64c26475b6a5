import { join } from 'node:path';
import { z } from 'zod';
import { fullLines, narrowLines } from '../../../contract/files.ts';
import type { Variant } from '../variant.ts';
import { ffmpeg, ffprobe, type Medium, Unpreparable, type Work } from './ffmpeg.ts';

/** A rendition of a video or sound: bytes in a file of the given folder. */
export type Prepared = Omit<Variant, 'size'> & { path: string };

/** A video with fewer bits per second is served as it is, if it plays everywhere. */
const maxBitsPerSecond = 8_000_000;
const posterLines = 720;
/** Where the poster is taken, in seconds: videos often begin with black. */
const posterAt = 1;

const Stream = z.object({
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().default(0),
  height: z.number().default(0),
  channels: z.number().default(1),
  pix_fmt: z.string().optional(),
  color_transfer: z.string().optional(),
  disposition: z.object({ attached_pic: z.number() }).optional(),
});
type Stream = z.output<typeof Stream>;
const Probed = z.object({
  streams: z.array(Stream),
  format: z.object({ duration: z.coerce.number().default(0), bit_rate: z.coerce.number().default(0) }),
});

/** Without places, names and times, and with the index first, so that it plays while it loads. */
const plain = ['-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'];
const asMp4 = [...plain, '-movflags', '+faststart', '-write_tmcd', '0', '-f', 'mp4'];
/**
 * `subme=1` takes a third less time for 8 % more bytes of the same similarity (SSIM). The others hold fewer
 * frames in memory, which are 12 MB each: the threads share one, and no frame refers to a B-frame.
 */
const x264Params = 'subme=1:sliced-threads=1:b-pyramid=none';
const x264 = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-x264-params', x264Params, '-threads:v', '2'],
  ...['-flags:v', '+bitexact', '-fpsmax', '60'],
];
/** Messages in H.264 (SEI) can contain camera data. */
const copied = ['-c:v', 'copy', '-bsf:v', 'filter_units=remove_types=6'];

/**
 * Renditions that every browser plays: H.264 with AAC at 1080 and 480 lines and a poster, or AAC. They are
 * never larger than the original, and those that would not improve on it are left out. `poster` comes first:
 * it takes a second, the rest minutes.
 */
export async function* prepare(medium: Medium, work: Work): AsyncGenerator<Prepared> {
  const { streams, format } = probedIn(await ffprobe(medium, work));
  const video = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const sound = streams.find(({ codec_type }) => codec_type === 'audio');
  if (medium.type.startsWith('audio/')) {
    if (sound === undefined) throw new Unpreparable('There is no sound in it.');
    if (!playsEverywhere(medium.type, sound))
      yield { ...(await makeSound(medium, work, sound)), ...lengthOf(format) };
    return;
  }
  if (video === undefined) throw new Unpreparable('There is no video in it.');
  yield await makePoster(medium, work, video, format.duration);
  for await (const made of makeVideos(medium, work, { video, sound, bits: format.bit_rate }))
    yield { ...made, ...lengthOf(format) };
}

const lengthOf = ({ duration }: { duration: number }) =>
  duration > 0 ? { seconds: Math.max(1, Math.round(duration)) } : {};

function probedIn(said: string): z.output<typeof Probed> {
  try {
    return Probed.parse(JSON.parse(said));
  } catch (error) {
    throw new Unpreparable('What ffprobe says of it cannot be read.', { cause: error });
  }
}

const playsEverywhere = (type: string, { codec_name }: Stream) =>
  ['audio/mpeg mp3', 'audio/flac flac', 'audio/aac aac', 'audio/mp4 aac'].includes(`${type} ${codec_name}`);

const soundAsAac = ({ channels }: Stream) => [
  '-c:a',
  'aac',
  '-b:a',
  '128k',
  '-ac',
  String(Math.min(2, channels)),
];

async function makeSound(medium: Medium, work: Work, sound: Stream): Promise<Prepared> {
  const path = join(work.folder, 'sound.m4a');
  await ffmpeg(medium, work, ['-map', '0:a:0', ...soundAsAac(sound), ...asMp4, path]);
  return { width: 'sound', type: 'audio/mp4', path };
}

async function makePoster(medium: Medium, work: Work, video: Stream, seconds: number): Promise<Prepared> {
  const path = join(work.folder, 'poster.jpg');
  const one = [
    '-map',
    '0:V:0',
    '-frames:v',
    '1',
    '-c:v',
    'mjpeg',
    '-q:v',
    '5',
    '-flags:v',
    '+bitexact',
    ...plain,
  ];
  const filters = ['-vf', `${sized(posterLines)}${asSdr(video)},format=yuvj420p`];
  const at = ['-ss', String(Math.min(posterAt, seconds / 2))];
  await ffmpeg(medium, work, [...filters, ...one, '-f', 'mjpeg', path], at);
  return { width: 'poster', type: 'image/jpeg', path };
}

type Parts = { video: Stream; sound: Stream | undefined; bits: number };

async function* makeVideos(
  medium: Medium,
  work: Work,
  { video, sound, bits }: Parts,
): AsyncGenerator<Prepared> {
  const lines = Math.min(video.width, video.height);
  const full = join(work.folder, '1080.mp4');
  const small = join(work.folder, '480.mp4');
  const isSmallMade = lines > narrowLines;
  const isH264 = video.codec_name === 'h264' && /^yuvj?420p$/.test(video.pix_fmt ?? '');
  const isLight = isH264 && lines <= fullLines && bits > 0 && bits <= maxBitsPerSecond;
  const hasAac = sound === undefined || sound.codec_name === 'aac';
  const isGood = isLight && hasAac && medium.type === 'video/mp4';
  const heard = sound === undefined ? [] : ['-map', '0:a:0', ...soundAsAac(sound)];
  const heardAsIs = hasAac && sound !== undefined ? ['-map', '0:a:0', '-c:a', 'copy'] : heard;

  const large = `[0:V:0]${sized(fullLines)}${asSdr(video)},format=yuv420p`;
  const rate = mostBits(bits);
  const asFull = [
    '-map',
    '[full]',
    ...x264,
    '-crf',
    '23',
    ...['-maxrate', `${rate}`, '-bufsize', `${2 * rate}`],
  ];
  const asSmall = ['-map', '[small]', ...x264, '-crf', '25', '-maxrate', '1200k', '-bufsize', '2400k'];
  const make = async (isFull: boolean) => {
    const isScaled = isFull && !isLight;
    const fullOnly = isLight ? ['-map', '0:V:0', ...copied, ...heardAsIs] : [...asFull, ...heard];
    const outputs = [
      ...(isFull ? [...fullOnly, ...asMp4, full] : []),
      ...(isSmallMade ? [...asSmall, ...heard, ...asMp4, small] : []),
    ];
    if (outputs.length === 0) return;
    const graph = [
      ...(isScaled ? [isSmallMade ? `${large},split[full][large]` : `${large}[full]`] : []),
      ...(isSmallMade ? [`${isScaled ? '[large]null' : large},${sized(narrowLines)}[small]`] : []),
    ].join(';');
    const filters = graph === '' ? [] : ['-filter_complex', graph, '-filter_complex_threads', '1'];
    await ffmpeg(medium, work, [...filters, ...outputs]);
  };
  let isFullMade = !isGood;
  try {
    await make(isFullMade);
  } catch (error) {
    if (!(error instanceof Unpreparable) || error.isEndless || !isSmallMade || isGood) throw error;
    // The full one may exceed a limit that the narrow one keeps.
    isFullMade = false;
    await make(isFullMade);
  }
  if (isSmallMade) yield { width: narrowLines, type: 'video/mp4', path: small };
  if (isFullMade) yield { width: fullLines, type: 'video/mp4', path: full };
}

/** Bits per second of the full rendition: not far above those of a small HEVC original. */
function mostBits(bits: number): number {
  return bits > 0 ? Math.min(6_000_000, Math.max(2 * bits, 500_000)) : 6_000_000;
}

/** Scales the shorter side to at most this many pixels, and both to even numbers. */
function sized(lines: number): string {
  const shorter = (side: string) => `trunc(min(${side},${lines})/2)*2`;
  return `scale=w='if(gte(iw,ih),-2,${shorter('iw')})':h='if(gte(iw,ih),${shorter('ih')},-2)'`;
}

/** HDR of phones looks pale or dark unless converted. */
function asSdr({ color_transfer: transfer = '' }: Stream): string {
  if (transfer === 'arib-std-b67') return hlgAsSdr;
  return transfer === 'smpte2084' ? pqAsSdr : '';
}

/**
 * HLG is made to be shown as SDR with wide colours, too (ITU-R BT.2100). A curve lifts its white from three
 * quarters of the signal to 0.88, and the colours likewise. A minute of 4K takes a minute less than by a
 * conversion through linear light.
 */
const brightness = '(val-minval)/(maxval-minval)';
const lifted = `minval+(maxval-minval)*(1.3*${brightness}-0.3*pow(${brightness},4))`;
const deepened = 'val+0.2*(val-(minval+maxval)/2)';
const hlgAsSdr = `,lutyuv=y='${lifted}':u='${deepened}':v='${deepened}',colorspace=iall=bt2020:all=bt709`;
const pqAsSdr =
  ',zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv';
