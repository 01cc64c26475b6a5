import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  everythingIn,
  iphoneVideo,
  madeMedium,
  pictures,
  probed,
  tone,
  traces,
} from '../../../test/support/made-videos.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Unpreparable, type Work } from './ffmpeg.ts';
import { type Prepared, prepare } from './prepare.ts';

const { at } = temporaryFolder();

async function preparedOf(path: string, type: string, bounds: Partial<Work> = {}): Promise<Prepared[]> {
  const folder = at('made');
  await mkdir(folder, { recursive: true });
  const work = { folder, maxBytes: 1024 ** 3, stopping: new AbortController().signal, ...bounds };
  const made: Prepared[] = [];
  for await (const one of prepare({ path, type }, work)) made.push(one);
  return made;
}

/** Name, codecs and size of each; checks that no metadata of its camera remain. */
function described(made: Prepared[]) {
  return made.map(({ width, path }) => {
    expect(everythingIn(path)).not.toMatch(traces);
    const { streams } = probed(path);
    const [first] = streams;
    const size = first?.width === undefined ? [] : [`${first.width}x${first.height}`];
    return [width, ...streams.map(stream => stream.codec_name), ...size].join(' ');
  });
}

test('a video of a phone becomes H.264 with AAC at two sizes, and a poster, without place, phone and time', async () => {
  const video = iphoneVideo(at('IMG_2041.MOV'), '1920x1440');
  expect(everythingIn(video)).toMatch(/GPS[\s\S]*Secretcamera/);
  const made = await preparedOf(video, 'video/quicktime');
  expect(described(made)).toEqual([
    'poster mjpeg 960x720',
    '480 h264 aac 640x480',
    '1080 h264 aac 1440x1080',
  ]);
  const full = await readFile(made[2]?.path ?? '');
  expect(probed(made[2]?.path ?? '').streams[0]?.pix_fmt).toBe('yuv420p');
  // Its index comes first, so that it plays while it loads.
  expect(full.indexOf('moov')).toBeLessThan(full.indexOf('mdat'));
});

test('a video of 1080 lines is prepared within 300 MB of memory', async () => {
  const video = iphoneVideo(at('full.mov'), '1920x1080', 4);
  const preparing = preparedOf(video, 'video/quicktime');
  const isDone = preparing.then(() => true);
  let most = 0;
  do most = Math.max(most, await memoryOfChildren());
  while (!(await Promise.race([isDone, sleep(20, false)])));
  expect(most).toBeGreaterThan(50);
  expect(most).toBeLessThan(300);
});

/** What the processes that this one has started hold for themselves, in MB. */
async function memoryOfChildren(): Promise<number> {
  const read = async (path: string) => await readFile(`/proc/${path}`, 'utf8').catch(() => '');
  const threads = await readdir('/proc/self/task');
  const lists = await Promise.all(threads.map(id => read(`self/task/${id}/children`)));
  const ids = lists.flatMap(list => list.split(' ').filter(Boolean));
  const statuses = await Promise.all(ids.map(id => read(`${id}/status`)));
  const own = statuses.map(status => Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
  return own.reduce((sum, megabytes) => sum + megabytes, 0);
}

test.each([
  ['its white becomes nearly white', '0xBFBFBF', 218],
  ['its black stays black', '0x000000', 0],
])('of a video in HLG %s', async (_, shade, least) => {
  const video = madeMedium(at('hlg.mov'), [
    ...['-f', 'lavfi', '-i', `color=${shade}:size=320x240:duration=1`, '-c:v', 'libx265'],
    ...['-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p10le', '-color_trc', 'arib-std-b67'],
    ...['-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'],
  ]);
  const [poster] = await preparedOf(video, 'video/quicktime');
  const [{ mean = Number.NaN } = {}] = (await sharp(poster?.path).stats()).channels;
  expect(mean).toBeGreaterThanOrEqual(least);
  expect(mean).toBeLessThan(least + 12);
});

test('a video held upright keeps its shape, and is not enlarged', async () => {
  const lying = iphoneVideo(at('lying.mov'), '640x360');
  const video = madeMedium(at('turned.mov'), ['-i', lying, '-c', 'copy', '-metadata:s:v:0', 'rotate=90']);
  expect(described(await preparedOf(video, 'video/quicktime'))).toEqual([
    'poster mjpeg 360x640',
    '1080 h264 aac 360x640',
  ]);
});

test('a video whose large form exceeds a bound gets the small one', async () => {
  const noise = ['-vf', 'noise=alls=60:allf=t', '-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '20'];
  const video = madeMedium(at('noise.mov'), [...pictures('1280x720'), ...noise, '-pix_fmt', 'yuv420p']);
  const made = await preparedOf(video, 'video/quicktime', { maxBytes: 600_000 });
  expect(described(made)).toEqual(['poster mjpeg 1280x720', '480 h264 aac 854x480']);
});

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'];

test('a video that plays everywhere gets only what it lacks', async () => {
  const good = madeMedium(at('good.mp4'), [...pictures('854x480'), ...h264, '-b:v', '500k', '-c:a', 'aac']);
  expect(described(await preparedOf(good, 'video/mp4'))).toEqual(['poster mjpeg 854x480']);
  const moved = madeMedium(at('moved.mov'), ['-i', good, '-c:v', 'copy', '-c:a', 'pcm_s16le']);
  const made = await preparedOf(moved, 'video/quicktime');
  expect(described(made)).toEqual(['poster mjpeg 854x480', '1080 h264 aac 854x480']);
});

test.each([
  ['alac.m4a', 'audio/mp4', ['-c:a', 'alac'], ['sound aac']],
  ['aac.m4a', 'audio/mp4', ['-c:a', 'aac'], []],
  ['a.mp3', 'audio/mpeg', [], []],
  ['a.caf', 'audio/x-caf', ['-c:a', 'pcm_s16le'], ['sound aac']],
  ['a.webm', 'audio/webm', ['-c:a', 'libopus'], ['sound aac']],
  ['a.ogg', 'audio/ogg', ['-c:a', 'libopus'], ['sound aac']],
])('a sound becomes AAC, unless it plays everywhere: %s', async (name, type, codec, expected) => {
  const path = madeMedium(at(name), [...tone, ...codec]);
  expect(described(await preparedOf(path, type))).toEqual(expected);
});

test('a list of other files is not read, whatever it calls itself', async () => {
  const video = iphoneVideo(at('a.mov'));
  await writeFile(at('a.mp4'), `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${video}\n#EXT-X-ENDLIST\n`);
  await expect(preparedOf(at('a.mp4'), 'video/mp4')).rejects.toThrow(Unpreparable);
});

test('nothing is decoded that phones and cameras do not make', async () => {
  const video = madeMedium(at('a.mkv'), [...pictures('640x360'), '-c:v', 'ffv1']);
  await expect(preparedOf(video, 'video/x-matroska')).rejects.toThrow(Unpreparable);
});

test('preparing ends when the site stops', async () => {
  const video = iphoneVideo(at('a.mov'));
  const stopping = AbortSignal.abort(new Error('stopping'));
  await expect(preparedOf(video, 'video/quicktime', { stopping })).rejects.toThrow('stopping');
});

test('preparing writes no more than it may', async () => {
  const video = iphoneVideo(at('a.mov'));
  await expect(preparedOf(video, 'video/quicktime', { maxBytes: 512 })).rejects.toThrow(Unpreparable);
});
