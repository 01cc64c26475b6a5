import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** A video that takes longer is endless, or made to be slow. Milliseconds. */
const maxMs = 3 * 60 * 60_000;
/** The address space for decoding 8K and encoding 1080 lines, and half as much again. KiB. */
const maxKibibytes = 3 * 1024 * 1024;
/** The pixels of 8K, and some more. */
const maxPixels = 40_000_000;
const maxOutput = 200_000;

/** The codecs of phones, cameras and browsers. No others are decoded. */
const decoders = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'av1', 'libdav1d', 'mpeg4', 'mjpeg', 'h263'],
  ...[
    'prores',
    'theora',
    'mpeg2video',
    'dvvideo',
    'png',
    'aac',
    'mp3',
    'mp3float',
    'opus',
    'libopus',
    'vorbis',
  ],
  ...['alac', 'flac', 'ac3', 'eac3', 'amrnb', 'amrwb', 'pcm_u8', 'pcm_mulaw', 'pcm_alaw', 'pcm_f32le'],
  ...['16', '24', '32'].flatMap(bits => [`pcm_s${bits}le`, `pcm_s${bits}be`]),
];

/** Options of ffmpeg and ffprobe: no frame may be larger, and nothing but files may be read. */
const guards = [
  ...['-v', 'error', '-protocol_whitelist', 'file', '-max_pixels', String(maxPixels)],
  ...['-codec_whitelist', decoders.join(',')],
];

/**
 * ffmpeg's names for the containers of these types: it must not try others, which could name further files.
 */
const demuxers: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'video/x-matroska': 'matroska',
  'video/ogg': 'ogg',
  'audio/mp4': 'mov',
  'audio/webm': 'matroska',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/aiff': 'aiff',
  'audio/x-caf': 'caf',
  'audio/amr': 'amr',
};

/** A video or sound in a file. */
export type Medium = { path: string; type: string };

/** Where a process may write, how much, and what stops it. */
export type Work = { folder: string; maxBytes: number; stopping: AbortSignal };

/** ffmpeg or ffprobe failed because of the video. */
export class Unpreparable extends Error {
  /** Whether it took too long. */
  readonly isEndless: boolean;

  constructor(message: string, { isEndless = false, cause }: { isEndless?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isEndless = isEndless;
  }
}

export const ffmpegIsMissing =
  'The program ffmpeg is not installed on the server, or lacks libx264, aac or zscale: videos and sounds are shown as they were uploaded, and do not play in every browser.';

/** The machine failed, not the video: it is tried again later. */
export class NotNow extends Error {}

let isComplete: Promise<boolean> | undefined;

export async function hasFfmpeg(): Promise<boolean> {
  if (!(await isInstalled('ffmpeg')) || !(await isInstalled('ffprobe'))) return false;
  isComplete ??= hasEncoders();
  return await isComplete;
}

/** A build without patents lacks H.264; one without zimg cannot convert HDR. */
async function hasEncoders(): Promise<boolean> {
  const work = { folder: '.', maxBytes: 0, stopping: new AbortController().signal };
  const said = ['-encoders', '-filters'].map(list => run(work, 'ffmpeg', ['-hide_banner', list]));
  const lists = await Promise.allSettled(said);
  // A failure of the machine is not remembered.
  if (lists.some(list => list.status === 'rejected' && list.reason instanceof NotNow)) isComplete = undefined;
  const [encoders = '', filters = ''] = lists.map(list => (list.status === 'fulfilled' ? list.value : ''));
  return /\blibx264\b/.test(encoders) && /\baac\b/.test(encoders) && /\bzscale\b/.test(filters);
}

async function isInstalled(program: string): Promise<boolean> {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => access(join(folder, program), constants.X_OK));
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled');
}

/** Reads a medium with ffmpeg; `args` say what to make of it, `before` are options of its input. */
export async function ffmpeg(
  { path, type }: Medium,
  work: Work,
  args: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const input = [...before, '-f', demuxers[type] ?? '', '-i', `file:${path}`];
  await run(work, 'ffmpeg', ['-nostdin', '-y', ...guards, '-threads', '2', ...input, ...args]);
}

/** Of a medium with hundreds of tracks these entries are still short. */
const entries =
  'stream=codec_type,codec_name,width,height,channels,pix_fmt,color_transfer:stream_disposition=attached_pic:format=duration,bit_rate';

/** ffprobe's description of a medium, as JSON. */
export async function ffprobe({ path, type }: Medium, work: Work): Promise<string> {
  const wanted = ['-of', 'json', '-show_entries', entries, '-f', demuxers[type] ?? ''];
  return await run(work, 'ffprobe', [...guards, ...wanted, '-i', `file:${path}`]);
}

/**
 * Runs a program at the lowest priority, with limits for its memory, time and files, and without our
 * environment. Returns its output. Throws {@link Unpreparable} if it fails, {@link NotNow} if the machine
 * does, and the reason of `stopping` if that ended it.
 */
async function run({ folder, maxBytes, stopping }: Work, program: string, args: string[]): Promise<string> {
  stopping.throwIfAborted();
  const bounds = [
    // macOS has no such limit.
    `ulimit -v ${maxKibibytes} 2>/dev/null`,
    `ulimit -t ${(2 * maxMs) / 1_000}`,
    `ulimit -f ${Math.ceil(maxBytes / 512)}`,
    // If memory runs out, this process is killed first, not the site.
    'echo 1000 2>/dev/null >/proc/self/oom_score_adj',
  ];
  const script = `${bounds.join('; ')}; exec nice -n 19 "$@"`;
  const child = spawn('sh', ['-c', script, 'sh', program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
    // SIGKILL means a lack of memory.
    killSignal: 'SIGTERM',
    signal: stopping,
  });
  const said = { out: '', err: '' };
  const keep = (which: keyof typeof said) => (chunk: Buffer) => {
    if (said[which].length < maxOutput) said[which] += chunk.toString();
  };
  child.stdout.on('data', keep('out'));
  child.stderr.on('data', keep('err'));
  const { promise, resolve } = Promise.withResolvers<number | string | null>();
  child.once('close', (code, signal) => resolve(code ?? signal));
  let hasNotStarted = false;
  // Emitted if the signal ends it, or if there is no shell.
  child.once('error', error => {
    hasNotStarted = child.pid === undefined;
    resolve(error.message);
  });
  const end = await promise;
  stopping.throwIfAborted();
  if (end === 0) return said.out;
  const sentence = `${program} ended with ${end}: ${said.err.slice(0, 2_000)}`;
  // 126 and 127: the shell could not start it; a string: there is no shell.
  const isMachines = end === 126 || end === 127 || end === 'SIGKILL' || hasNotStarted;
  if (isMachines || /no space left|cannot allocate memory/i.test(said.err)) throw new NotNow(sentence);
  throw new Unpreparable(sentence, { isEndless: end === 'SIGTERM' || end === 'SIGXCPU' });
}
