import type { Config } from '../../server/config.ts';
import { compiled } from './built.ts';

/** The environment of a program that opens the database and the data folder of a test's site. */
export const siteEnvironment = ({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>) => ({
  ...process.env,
  ...compiled,
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  LOG_LEVEL: 'silent',
});
