import { ConfigError } from '../base/config-error.ts';
import { findSetting, loadSettingsFile } from '../settings-file.ts';
import { keepCompiledCode } from './compiled-code.ts';
import { printError } from './print.ts';

/**
 * What `coterie` starts: the settings, where compiled code is kept, and then the commands, which are most of
 * the code.
 */
// Only the user who runs this may read what it writes: the database, files, mails, backups.
process.umask(0o077);
// Where nobody reads on, as after `head`, a command still ends its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
try {
  loadSettingsFile();
  keepCompiledCode(findSetting(process.env, 'DATA_DIR')?.value ?? 'data', import.meta.filename);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  printError(error.message);
  // The mail server of the machine keeps the mail for this code, and returns it for any other.
  process.exit(process.argv.slice(2, 4).join(' ') === 'mail receive' ? 75 : 1);
}
await import('./commands.ts');
