import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialSettings } from '../../../contract/site-settings.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { builtWeb, lookOf } from './web.ts';

it('a page has the styles of a screen that nobody has opened yet, also when no file can be opened', async () => {
  const dir = await newFolder();
  await mkdir(join(dir, 'client/.vite'), { recursive: true });
  await mkdir(join(dir, 'server'));
  const manifest = {
    'web/entry-client.tsx': { file: 'entry.js', css: ['all.css'] },
    'web/screen.tsx': { file: 'screen.js', css: ['screen.css'] },
  };
  await writeFile(join(dir, 'client/.vite/manifest.json'), JSON.stringify(manifest));
  await writeFile(join(dir, 'client/all.css'), 'body{margin:0}\n');
  await writeFile(join(dir, 'client/screen.css'), 'p{margin:0}\n');
  await writeFile(
    join(dir, 'server/entry-server.js'),
    'export const render = 0, queryOf = 0, themeScript = "", placeholderScript = "", startScript = "", typefaceStyles = { literata: "" };',
  );
  const { assetsOf } = await builtWeb(dir);
  await rm(join(dir, 'client'), { recursive: true });
  const { head } = await assetsOf('web/screen.tsx', lookOf(initialSettings));
  expect(head).toContain('<style>body{margin:0}\np{margin:0}</style>');
  // Otherwise Vite would load them again, after those of other screens.
  expect(head.match(/<link rel="stylesheet" disabled href="[^"]*">/g)).toEqual([
    '<link rel="stylesheet" disabled href="/all.css">',
    '<link rel="stylesheet" disabled href="/screen.css">',
  ]);
});
