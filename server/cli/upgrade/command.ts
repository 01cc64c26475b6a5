import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { AppError } from '../../../contract/errors.ts';
import { type Config, readConfig } from '../../config.ts';
import { saveArchive } from '../archive.ts';
import { print, printError } from '../print.ts';
import { withDeps } from '../with-deps.ts';
import { exchange, type Service } from './exchange.ts';
import { requireSum, unpack } from './package.ts';
import { compareVersions } from './rehearsal.ts';

type Options = {
  check?: true;
  acceptDifferences?: true;
  sha256?: string;
  link: string;
  service: string;
  within: string;
};

/** `coterie upgrade <file>`: another version, compared with this one before it takes its place. */
export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description('compare another version with this one on a copy of the site, then run it in its place')
    .argument('<file>', 'its archive: coterie-VERSION-linux-MACHINE.tar.gz')
    .option('--check', 'compare only, and change nothing')
    .option('--accept-differences', 'also where they differ')
    .option('--sha256 <sum>', 'its check sum (default: from FILE.sha256 or SHA256SUMS beside it)')
    .option('--link <path>', 'the link through which the service starts the program', '/usr/lib/coterie')
    .option('--service <name>', 'the service of systemd', 'coterie')
    .option('--within <seconds>', 'how long a version may take until it is ready', '300')
    .action(async (file: string, options: Options) => {
      const config = readConfig(process.env);
      const service = { name: options.service, link: options.link, withinMs: Number(options.within) * 1_000 };
      await requireSum(file, options.sha256);
      if (options.check !== true) requireLink(service.link);
      if (isForeign(config)) await checkAsOwner(config);
      else await check(file, options, service.withinMs);
      if (options.check !== true && process.exitCode === undefined)
        await runInstead(config, resolve(file), service);
    });
}

/** Where the package of Debian stands in the place of a link, apt does this. */
function requireLink(link: string): void {
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new AppError(
    'failed-precondition',
    `${link} is no link to the folder of an archive. A Debian package is upgraded by apt-get; with --check this compares only.`,
  );
}

/** Whether root runs this for a site of somebody else, who must own all that is written to its folder. */
const isForeign = ({ dataDir }: Config) => process.getuid?.() === 0 && statSync(dataDir).uid !== 0;

async function checkAsOwner({ dataDir }: Config): Promise<void> {
  const { uid, gid } = statSync(dataDir);
  const args = [...process.execArgv, ...process.argv.slice(1), '--check'];
  const { status } = spawnSync(process.execPath, args, { uid, gid, stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}

async function check(file: string, { link, acceptDifferences }: Options, withinMs: number): Promise<void> {
  const archive = await withDeps('nothing', deps => saveArchive(deps, undefined, {}));
  print(`Saved to ${archive.path}, and read back.`);
  const { reads, differences } = await compareVersions(archive, realpathSync(link), file, withinMs);
  for (const sentence of differences) printError(`DIFFERS ${sentence}`);
  if (differences.length === 0)
    print(`Both versions agree: doctor, and ${reads} reads on a copy of the site.`);
  else if (acceptDifferences !== true) process.exitCode = 1;
}

async function runInstead(config: Config, file: string, service: Service): Promise<void> {
  const current = realpathSync(service.link);
  const folder = await mkdtemp(join(dirname(current), '.coterie-'));
  try {
    const unpacked = await unpack(file, join(folder, 'program'));
    const program = join(dirname(current), basename(unpacked));
    if (program === current)
      throw new AppError('already-exists', `${service.link} leads to this version already.`);
    if (config.databaseUrl !== undefined && schemaOf(unpacked) !== schemaOf(current))
      throw new AppError(
        'failed-precondition',
        'This version changes the schema of PostgreSQL, from which nothing leads back by itself: see Upgrade in docs/hosting.md.',
      );
    await rm(program, { recursive: true, force: true });
    await rename(unpacked, program);
    if (await exchange(config, service, program))
      return print(`${service.link} leads to ${program}, and the site is ready.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  printError('The new version did not get ready. The site runs with the version and the database of before.');
  process.exitCode = 1;
}

const schemaOf = (program: string): string =>
  JSON.parse(execFileSync(join(program, 'coterie'), ['version', '--json'], { encoding: 'utf8' })).schema;
