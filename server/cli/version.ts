import { Command } from 'commander';
import project from '../../package.json' with { type: 'json' };
import { newestMigration } from '../db/migrations/index.ts';
import { print } from './print.ts';

/** `coterie version`: this version; with `--json` also its database schema and its runtime. */
export function versionCommand(): Command {
  return new Command('version')
    .description('print the version')
    .option('--json', 'with the schema of the database and the Node.js that runs it, as JSON')
    .action(({ json }: { json?: true }) => {
      const { version } = project;
      const schema = newestMigration;
      const machine = `${process.platform}-${process.arch}`;
      print(json ? JSON.stringify({ version, schema, node: process.versions.node, machine }) : version);
    });
}
