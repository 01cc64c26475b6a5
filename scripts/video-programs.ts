import { execFileSync, spawnSync } from 'node:child_process';

/** What tests of videos and sounds run: ffmpeg, and exiftool, which looks for places in what it made. */
const programs = { ffmpeg: '-version', ffprobe: '-version', exiftool: '-ver' };
const packages = ['ffmpeg', 'libimage-exiftool-perl'];

/** Installs the programs if this machine lacks them, as Chromium is. Throws where that fails. */
export function installVideoPrograms(): void {
  if (areThere()) return;
  process.stdout.write('ffmpeg or exiftool is missing; installing them.\n');
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  const install = `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  try {
    execFileSync('sh', ['-c', install], { stdio: 'inherit', timeout: 300_000 });
  } catch (error) {
    throw new Error('ffmpeg and exiftool could not be installed. Install them.', { cause: error });
  }
  if (!areThere()) throw new Error('ffmpeg or exiftool does not run.');
}

function areThere(): boolean {
  return Object.entries(programs).every(([program, version]) => spawnSync(program, [version]).status === 0);
}
