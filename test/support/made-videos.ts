import { execFileSync } from 'node:child_process';

const maker = 'Secretcamera';

/**
 * Makes a real video or sound at a path, by ffmpeg (`args` without that path), with what a phone leaves in
 * it: a place, the phone and the time. Returns the path.
 */
export function madeMedium(path: string, args: readonly string[]): string {
  execFileSync('ffmpeg', ['-v', 'error', ...args, ...owned, path]);
  if (/\.(?:mov|mp4|m4a)$/i.test(path)) {
    const place = [
      '-Keys:GPSCoordinates=48.2082, 16.3738, 170',
      '-UserData:GPSCoordinates=48.2082, 16.3738, 170',
    ];
    execFileSync('exiftool', ['-q', '-overwrite_original', `-Keys:Make=${maker}`, ...place, path]);
  }
  return path;
}

const owned = ['comment', 'artist', 'title'].flatMap(field => ['-metadata', `${field}=${maker}`]);

/** Pictures that move, and a tone, as the input of ffmpeg. */
export const pictures = (size: string, seconds = 1) => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=5:d=${seconds}`],
  ...['-f', 'lavfi', '-i', `sine=440:d=${seconds}`],
];
export const tone = ['-f', 'lavfi', '-i', 'sine=440:d=2'];
const x265 = [
  '-c:v',
  'libx265',
  '-preset',
  'ultrafast',
  '-x265-params',
  'log-level=none:crf=10',
  '-tag:v',
  'hvc1',
];

/** As an iPhone takes videos: HEVC with ten bits, HLG. */
export const iphoneVideo = (path: string, size = '1280x720', seconds?: number) =>
  madeMedium(path, [
    ...pictures(size, seconds),
    ...x265,
    ...['-pix_fmt', 'yuv420p10le', '-color_trc', 'arib-std-b67', '-color_primaries', 'bt2020'],
    ...['-colorspace', 'bt2020nc', '-c:a', 'aac', '-f', 'mov'],
  ]);

/** What ffprobe says of a file. */
export function probed(path: string) {
  const said = execFileSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_streams', '-show_format', path]);
  return JSON.parse(said.toString()) as {
    streams: { codec_name: string; width?: number; height?: number; pix_fmt?: string }[];
    format: { format_name: string; duration?: string };
  };
}

/** Everything that exiftool and ffprobe find in a file, as text. */
export function everythingIn(path: string): string {
  const tags = execFileSync('exiftool', ['-ee', '-a', '-G3', '-s', '-u', path]).toString();
  // What the system knows of the file, and not what is in it.
  const own = tags
    .split('\n')
    .filter(line => !/(?:File\w*Date|FileName|Directory|ExifToolVersion)\s*:/.test(line));
  return [...own, JSON.stringify(probed(path))].join('\n');
}

/** What none of it may be in a file that was made. */
export const traces = /Secret|GPS|48\.2|16\.3|20(?:1\d|2\d):\d\d:\d\d/;
