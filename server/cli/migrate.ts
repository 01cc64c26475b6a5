import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openDatabase } from '../db/connect.ts';
import { appliedMigrations } from '../db/migrate.ts';
import { indexMissing } from '../search/index-posts.ts';

/**
 * `coterie migrate`: runs only the migrations that a start would run first, so that processes can then be
 * replaced one by one.
 */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database to the schema of this version; processes of the version before go on')
    .action(async () => {
      const config = readConfig(process.env);
      const { db, close } = await openDatabase(config, 'migrate', text => process.stderr.write(`${text}\n`));
      try {
        await indexMissing(db);
        const last = (await appliedMigrations(db)).at(-1);
        process.stdout.write(`The database has the schema of this version: ${last}.\n`);
      } finally {
        await close();
      }
    });
}
