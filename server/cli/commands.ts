import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { AppError } from '../../contract/errors.ts';
import project from '../../package.json' with { type: 'json' };
import { ConfigError } from '../base/config-error.ts';
import { readConfig } from '../config.ts';
import { SchemaError } from '../db/migrate.ts';
import { isOutage, withCause } from '../db/outage.ts';
import { printError } from './print.ts';

/** The command line. Exits with 1 and one sentence if a person has to act, with a stack for a bug. */
const program = new Command('coterie')
  .description('A members-only blog you host yourself.')
  .version(project.version)
  .exitOverride();

program
  .command('start', { isDefault: true })
  .description('run the site (the default)')
  .action(async () => {
    // Loaded here: the other commands need neither the server nor the web app.
    const [{ startServer }, { builtWeb }] = await Promise.all([
      import('../start.ts'),
      import('../surfaces/pages/web.ts'),
    ]);
    await startServer(readConfig(process.env), await builtWeb(join(import.meta.dirname, '../web')));
  });
// Loaded here: a running site needs none of them.
if ((process.argv[2] ?? 'start') !== 'start') (await import('./other-commands.ts')).addOtherCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  if (
    error instanceof ConfigError ||
    error instanceof SchemaError ||
    error instanceof AppError ||
    isAddressInUse(error)
  ) {
    printError(isOutage(error) ? withCause(error) : error.message);
    process.exit(1);
  }
  throw error;
}

function isAddressInUse(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(String(error.code))
  );
}
