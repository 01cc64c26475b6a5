import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** A video of more takes hours, or is made to take them. Milliseconds. */
const maxMs = 3 * 60 * 60_000;
/** What decoding 8K and encoding 1080 lines maps, with half as much again. KiB. */
const maxKibibytes = 3 * 1024 * 1024;
/** As many pixels as 8K has, and some. */
const maxPixels = 40_000_000;
const maxOutput = 200_000;

/** Options of ffmpeg and ffprobe: no frame may be larger, and nothing may be read but files. */
const guards = ['-v', 'error', '-protocol_whitelist', 'file,pipe', '-max_pixels', String(maxPixels)];

/** How ffmpeg calls the containers of these types: it must not look for others, which could name files. */
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

/** A video or sound that lies in a file. */
export type Medium = { path: string; type: string };

/** Where a process may write, how much, and what ends it. */
export type Work = { folder: string; maxBytes: number; stopping: AbortSignal };

/** ffmpeg or ffprobe could not do what was asked of it, for a reason that is about the video. */
export class Unpreparable extends Error {}

export const ffmpegIsMissing =
  'The program ffmpeg is not installed on the server: videos and sounds are shown as they were uploaded, and do not play in every browser.';

/** Whether ffmpeg and ffprobe are installed on this machine. */
export async function hasFfmpeg(): Promise<boolean> {
  return (await isInstalled('ffmpeg')) && (await isInstalled('ffprobe'));
}

async function isInstalled(program: string): Promise<boolean> {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => access(join(folder, program), constants.X_OK));
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled');
}

/** Reads a medium with ffmpeg; `args` say what is made of it. `before` are options of its input. */
export async function ffmpeg(
  { path, type }: Medium,
  work: Work,
  args: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const input = [...before, '-f', demuxers[type] ?? '', '-i', `file:${path}`];
  await run(work, 'ffmpeg', ['-nostdin', '-y', ...guards, '-threads', '2', ...input, ...args]);
}

/** What ffprobe says of a medium, as JSON. */
export async function ffprobe({ path, type }: Medium, work: Work): Promise<string> {
  const wanted = ['-of', 'json', '-show_streams', '-show_format', '-f', demuxers[type] ?? ''];
  return await run(work, 'ffprobe', [...guards, ...wanted, '-i', `file:${path}`]);
}

/**
 * Runs a program behind everything else that the machine does, with bounds for its memory, time and files,
 * and with nothing of our environment. Resolves with what it writes. Throws {@link Unpreparable} where it
 * fails, and the reason of `stopping` where that ended it.
 */
async function run({ folder, maxBytes, stopping }: Work, program: string, args: string[]): Promise<string> {
  stopping.throwIfAborted();
  const bounds = [
    // macOS knows no such bound.
    `ulimit -v ${maxKibibytes} 2>/dev/null`,
    `ulimit -t ${(2 * maxMs) / 1_000}`,
    `ulimit -f ${Math.ceil(maxBytes / 512)}`,
  ];
  const script = `${bounds.join('; ')}; exec nice -n 19 "$@"`;
  const child = spawn('sh', ['-c', script, 'sh', program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
    killSignal: 'SIGKILL',
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
  // Told here where the signal ends it, or where there is no shell.
  child.once('error', error => resolve(error.message));
  const end = await promise;
  stopping.throwIfAborted();
  if (end !== 0) throw new Unpreparable(`${program} ended with ${end}: ${said.err.slice(0, 2_000)}`);
  return said.out;
}
