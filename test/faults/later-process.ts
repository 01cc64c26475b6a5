import { examine } from '../../server/cli/examine.ts';
import { readConfig } from '../../server/config.ts';
import { openDeps } from '../../server/open-deps.ts';
import { withLaterMigration } from '../support/later-migration.ts';

/**
 * The program of a later version on a site: upgrades it, and sends its parent what `coterie doctor` would
 * find.
 */
const config = readConfig({ LOG_LEVEL: 'silent', ...process.env });
await withLaterMigration(async () => {
  const { close, ...deps } = await openDeps(config);
  process.send?.(await examine(deps));
  await close();
});
process.disconnect?.();
