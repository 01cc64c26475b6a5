import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The lines of the map below `server/`, `web/` or another folder of the root. */
function linesOf(root: string): string {
  const map = /```\n(contract[\s\S]*?)```/.exec(readFileSync('docs/architecture.md', 'utf8'))?.[1] ?? '';
  return map.split(/^(?=\S)/m).find(part => part.startsWith(`${root}/`)) ?? '';
}

it.each(['server', 'web'])('the map in docs/architecture.md names every folder of %s', runtime => {
  const lines = linesOf(runtime);
  const folders = readdirSync(runtime, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && readdirSync(`${runtime}/${entry.name}`).length > 0,
  );
  const unnamed = folders.map(folder => folder.name).filter(name => !lines.includes(` ${name}/`));
  expect(unnamed).toEqual([]);
});
