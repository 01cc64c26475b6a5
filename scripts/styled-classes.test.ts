import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const web = join(import.meta.dirname, '../web');
const markdown = join(web, '../server/markdown');

function sources(folder: string, ends: RegExp): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => ends.test(file) && !/\.test\.tsx?$/.test(file))
    .map(file => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

const styles = sources(join(web, 'styles'), /\.css$/).replaceAll(/\/\*.*?\*\/|url\([^)]*\)/gs, '');
const classes = new Set([...styles.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name ?? ''));

it('every class that an element names outright has a style', () => {
  const named = [...sources(web, /\.tsx$/).matchAll(/className="([^"]+)"/g)].flatMap(
    ([, names]) => names?.split(' ') ?? [],
  );
  expect([...new Set(named)].filter(name => !classes.has(name))).toEqual([]);
});

it('every class that a stylesheet names stands on a page', () => {
  const code = sources(web, /\.tsx?$/) + sources(markdown, /\.ts$/);
  const words = new Set(code.match(/[\w-]+/g));
  // highlight.js names its own, and each has a style only where it is wanted.
  const unknown = [...classes].filter(name => !name.startsWith('hljs-') && name !== 'language_');
  expect(unknown.filter(name => !words.has(name))).toEqual([]);
});
