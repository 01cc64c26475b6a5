import { Command } from 'commander';
import { backUp, restore } from '../archive/backup.ts';
import { readConfig } from '../config.ts';
import { withDeps } from './with-deps.ts';

/** `coterie backup [file]`: the whole site as one archive, while it runs. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('save the whole site to one archive (also while it runs)')
    .argument('[file]', 'the archive to write (default: in backups/ of the data folder)')
    .action(async (file: string | undefined) => {
      console.log(`Saved to ${await withDeps('nothing', deps => backUp(deps, file))}.`);
    });
}

/** `coterie restore <file>`: an archive of `coterie backup` into an empty data folder. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into an empty data folder')
    .argument('<file>', 'an archive made by `coterie backup`')
    .option('--force', 'also into a store (FILES_URL) that already holds files of this site')
    .action(async (file: string, { force }: { force?: boolean }) => {
      await restore(readConfig(process.env), file, { isForced: force === true });
      console.log('Restored. Start the site to use it; `coterie doctor` checks it.');
    });
}
