import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { ConfigError } from './base/config-error.ts';

/**
 * Adds the settings of the file `.env` in this folder to the environment, which takes precedence. Throws
 * {@link ConfigError}.
 */
export function loadSettingsFile(): void {
  if (!existsSync('.env')) return;
  try {
    loadEnvFile();
  } catch (error) {
    // Node.js reports every failure as a missing file. Without its settings this would be another site.
    throw new ConfigError(`The file ${resolve('.env')} cannot be read by this user.`, { cause: error });
  }
}
