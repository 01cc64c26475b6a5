import { constants, existsSync, realpathSync } from 'node:fs';
import { access, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { AppError } from '../../../contract/errors.ts';
import { type Config, readConfig } from '../../config.ts';
import { print } from '../print.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import type { Versions } from './compare.ts';
import { withinOption } from './compare-command.ts';
import { schemaOf, unpack } from './package.ts';
import { exitOnSignals, ownerOf, run } from './processes.ts';
import { requireSwitchable, switchOrGoBack } from './switch.ts';

type Options = {
  check?: true;
  acceptDifferences?: true;
  sha256?: string;
  link: string;
  service: string;
  within: number;
};

/** `coterie upgrade <file>`: installs another version after comparing it with the current one. */
export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description('compare another version with this one on a copy of the site, then run it in its place')
    .argument('<file>', 'its archive: coterie-VERSION-linux-MACHINE.tar.gz')
    .option('--check', 'compare only, and change nothing')
    .option('--accept-differences', 'also where they differ')
    .option('--sha256 <sum>', 'its check sum (default: from FILE.sha256 or SHA256SUMS beside it)')
    .option('--link <path>', 'the link through which the service starts the program', '/usr/lib/coterie')
    .option('--service <name>', 'the service of systemd', 'coterie')
    .addOption(withinOption())
    .action(async (file: string, options: Options) => {
      exitOnSignals();
      await upgrade(readConfig(process.env), resolve(file), options);
    });
}

/** Checks everything, unpacks once, compares, and switches. */
async function upgrade(config: Config, file: string, options: Options): Promise<void> {
  const service = { name: options.service, link: resolve(options.link), withinMs: options.within * 1_000 };
  const isSwitch = options.check !== true;
  const current = await currentProgram(service.link);
  if (isSwitch) await requireSwitchable(config, service);
  // Only root can write there, so what was checked is what runs.
  await withTemporaryFolder(join(dirname(current), '.coterie-'), async folder => {
    const expected = { sha256: options.sha256, releaseKey: config.releaseKey };
    const next = await unpack(file, expected, folder);
    const program = join(dirname(current), basename(next));
    const currentSchema = schemaOf(current);
    const nextSchema = schemaOf(next);
    if (isSwitch) {
      await requireOther(next, program, current);
      if (config.databaseUrl !== undefined && nextSchema !== currentSchema)
        throw new AppError(
          'failed-precondition',
          'This version changes the schema of PostgreSQL, from which nothing leads back by itself: see Upgrade in docs/hosting.md.',
        );
    }
    const versions = { current, next, withinMs: service.withinMs };
    process.exitCode = await compareAsOwner(config, versions, options.acceptDifferences === true);
    if (!isSwitch || process.exitCode !== 0) return;
    if (!existsSync(program)) await rename(next, program);
    await switchOrGoBack(config, service, program);
    print(`${service.link} leads to ${program}, and the site is ready.`);
  });
}

/** The program folder that the link, or the folder of a Debian package, leads to. */
async function currentProgram(link: string): Promise<string> {
  if (!existsSync(join(link, 'coterie')))
    throw new AppError('not-found', `There is no program in ${link}: name its folder with --link.`);
  const current = realpathSync(link);
  await access(dirname(current), constants.W_OK).catch((error: Error) => {
    throw new AppError('failed-precondition', `Run this as root: ${error.message}.`);
  });
  return current;
}

/** Throws unless another version was unpacked and its place is free or holds the same files. */
async function requireOther(unpacked: string, program: string, current: string): Promise<void> {
  if (program === current)
    throw new AppError('already-exists', `${current} is this version already, and the link leads to it.`);
  if (!existsSync(program) || (await run('diff', ['-rq', unpacked, program])) === 0) return;
  throw new AppError(
    'already-exists',
    `${program} exists with other files. Remove it where no site uses it.`,
  );
}

/** Runs `coterie compare` as the owner of the data. Returns its exit code. */
async function compareAsOwner(
  config: Config,
  { current, next, withinMs }: Versions,
  acceptsDifferences: boolean,
): Promise<number> {
  const [program = ''] = process.argv.slice(1);
  const args = ['compare', next, '--current', current, '--within', String(withinMs / 1_000)];
  if (acceptsDifferences) args.push('--accept-differences');
  return await run(process.execPath, [...process.execArgv, program, ...args], ownerOf(config));
}
