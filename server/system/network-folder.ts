import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../base/config-error.ts';
import type { Config } from '../config.ts';

/** Network drives by the types of statfs(2): SQLite cannot rely on their locks and memory maps. */
const networkTypes: Readonly<Record<number, string>> = {
  26985: 'NFS',
  16914839: '9p',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB',
};

type TypeOf = (folder: string) => Promise<number>;
const typeOf: TypeOf = async folder => {
  try {
    return (await statfs(folder)).type;
  } catch (error) {
    // A first start makes the folder, so its parent is checked.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    return await typeOf(dirname(folder));
  }
};

/** The kind of the network drive that the SQLite database is on; undefined for any other drive. */
async function networkDrive(config: Config, type: TypeOf): Promise<string | undefined> {
  return config.databaseUrl === undefined ? networkTypes[await type(resolve(config.dataDir))] : undefined;
}

/** Whether the SQLite database is on the drive of another machine. */
export const isOnNetworkDrive = async (config: Config) => (await networkDrive(config, typeOf)) !== undefined;

/**
 * Throws {@link ConfigError} if a new SQLite database would be on a network drive. An existing site there, or
 * an empty file in its place, keeps running, with a warning.
 */
export async function requireLocalDatabase(config: Config, type = typeOf): Promise<void> {
  const drive = await networkDrive(config, type);
  const folder = resolve(config.dataDir);
  if (drive === undefined || existsSync(join(folder, 'coterie.db'))) return;
  throw new ConfigError(
    `${folder} is on a network drive (${drive}), where a SQLite database can be damaged. ` +
      'Choose a DATA_DIR on a disk of this machine, or PostgreSQL (DATABASE_URL). To use it all the same, make an empty file coterie.db there.',
  );
}
