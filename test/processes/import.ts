import { readConfig } from '../../server/config.ts';
import { unguarded } from '../../server/db/transaction.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { openDeps } from '../../server/open-deps.ts';

/**
 * An import in a process of its own, which can be killed: of the export and the folder of media that its
 * arguments name. Settings come from the environment; it tells its parent of each item when that has been
 * saved. After as many items as the third argument says it is killed, while it works on the next one.
 */
const [file = '', media = '', killedAfter = ''] = process.argv.slice(2);
let told = 0;
const config = readConfig(process.env);
const { close, ...deps } = await openDeps(config, { opening: 'nothing' });
const source = await wordpressSource({ files: [file], media, timeZone: 'UTC' });
for await (const item of runImport({ ...deps, ...unguarded }, source, { authorId: null, isDryRun: false })) {
  process.send?.(`${item.outcome} ${item.source}`);
  told += 1;
  if (told === Number(killedAfter)) setImmediate(() => process.kill(process.pid, 'SIGKILL'));
}
await close();
process.disconnect();
