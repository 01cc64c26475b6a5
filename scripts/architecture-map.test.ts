import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each(['server', 'web'])('the map in docs/architecture.md names every folder of %s', runtime => {
  const map = /```\ncontract[\s\S]*?```/.exec(readFileSync('docs/architecture.md', 'utf8'))?.[0] ?? '';
  const folders = readdirSync(runtime, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && readdirSync(`${runtime}/${entry.name}`).length > 0,
  );
  const unnamed = folders.map(folder => folder.name).filter(name => !map.includes(` ${name}/`));
  expect(unnamed).toEqual([]);
});
