import { settingVariables } from '../../server/config.ts';
import { Environment } from '../../server/environment.ts';

/**
 * Removes the settings of a site from the environment of this process, and so from that of every program that
 * it starts: with the database of a real site there, tests and measurements would write to it.
 */
for (const name of [...Object.keys(Environment.shape), ...settingVariables]) delete process.env[name];
