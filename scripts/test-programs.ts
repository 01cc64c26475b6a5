import { execFileSync, spawnSync } from 'node:child_process';

/**
 * What tests run beside Chromium: ffmpeg for videos and sounds, exiftool, which looks for places in what it
 * made, and Dovecot for a mailbox.
 */
const programs = { ffmpeg: '-version', ffprobe: '-version', exiftool: '-ver', dovecot: '--version' };
/** Debian has servers in `/usr/sbin`, which is not in the path of everybody. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const packages = ['ffmpeg', 'libimage-exiftool-perl', 'dovecot-imapd'];

/** Installs the programs if this machine lacks them, as Chromium is. Throws where that fails. */
export function installTestPrograms(): void {
  if (missing().length === 0) return;
  process.stdout.write(`Programs that tests need are missing (${missing().join(', ')}); installing them.\n`);
  const hadDovecot = !missing().includes('dovecot');
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  // Tests start a Dovecot of their own: that of the package must not listen on this machine.
  const stop = hadDovecot ? '' : ` && { ${sudo}systemctl disable --now dovecot || true; }`;
  const install = `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packages.join(' ')}${stop}`;
  try {
    execFileSync('sh', ['-c', install], { stdio: 'inherit', timeout: 300_000 });
  } catch (error) {
    throw new Error(`Tests need ${packages.join(', ')}. Install them.`, { cause: error });
  }
  if (missing().length > 0) throw new Error(`These programs do not run: ${missing().join(', ')}.`);
}

const missing = () =>
  Object.entries(programs)
    .filter(([program, version]) => spawnSync(program, [version], { env }).status !== 0)
    .map(([program]) => program);
