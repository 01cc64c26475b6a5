import { ConfigError } from '../base/config-error.ts';
import { requireFolderAt } from '../db/data-folder.ts';
import { findSetting, loadSettingsFile } from '../settings-file.ts';
import { keepCompiledCode } from './compiled-code.ts';
import { printError } from './print.ts';

/**
 * The entry point of `coterie`: loads the settings, chooses where compiled code is kept, and then loads the
 * commands, which are most of the code.
 */
// Only the user who runs this may read its output: the database, files, mails, backups.
process.umask(0o077);
// If nobody reads on, as after `head`, a command still finishes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
try {
  loadSettingsFile();
  const dataDir = findSetting(process.env, 'DATA_DIR')?.value ?? 'data';
  requireFolderAt(dataDir);
  keepCompiledCode(dataDir, import.meta.filename);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  printError(error.message);
  // With this code the machine's mail server keeps the mail; with any other it returns it to the sender.
  process.exit(process.argv.slice(2, 4).join(' ') === 'mail receive' ? 75 : 1);
}
await import('./commands.ts');
