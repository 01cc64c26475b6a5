import { Command, InvalidArgumentError, Option } from 'commander';
import { saveArchive, warnOfMissing } from '../archive.ts';
import { print, printError } from '../print.ts';
import { withDeps } from '../with-deps.ts';
import { compareVersions } from './compare.ts';
import { exitOnSignals } from './processes.ts';

type Options = { current: string; within: number; acceptDifferences?: true };

export const withinOption = () =>
  new Option('--within <seconds>', 'how long a version may take until it is ready')
    .default(300)
    .argParser(text => {
      if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
      throw new InvalidArgumentError('It is a number of seconds.');
    });

/**
 * `coterie compare <folder>`: the part of `coterie upgrade` that reads and writes the site's data, as their
 * owner. Exits with 0 if the switch may follow.
 */
export function compareCommand(): Command {
  return new Command('compare')
    .description('compare the version in a folder with the one that runs, on copies of the site')
    .argument('<folder>', 'the program of the other version')
    .requiredOption('--current <folder>', 'the program that runs the site')
    .option('--accept-differences', 'succeed also where they differ')
    .addOption(withinOption())
    .action(async (next: string, { current, within, acceptDifferences }: Options) => {
      exitOnSignals();
      const archive = await withDeps('nothing', deps => saveArchive(deps, undefined, {}));
      print(`Saved to ${archive.path}, and read back.`);
      warnOfMissing(archive.manifest);
      if (archive.lacking !== undefined) {
        printError(archive.lacking);
        process.exitCode = 2;
        return;
      }
      const versions = { current, next, withinMs: within * 1_000 };
      const { byMembers, byVisitors, differences } = await compareVersions(archive, versions);
      for (const sentence of differences) printError(`DIFFERS ${sentence}`);
      if (differences.length === 0)
        print(
          `Both versions agree on a copy of the site: doctor, ${byMembers} reads by members, and ${byVisitors} by visitors.`,
        );
      else if (acceptDifferences !== true) process.exitCode = 1;
    });
}
