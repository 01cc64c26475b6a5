import { globSync, readFileSync } from 'node:fs';
import { largeCircles, wrongImports } from './import-directions.ts';

/** Part of `npm run check`: the directions of imports, and circles of files. */
const sourcesOf = (pattern: string) => {
  const files = globSync(pattern, { exclude: ['**/*.test.{ts,tsx}'] });
  return new Map(files.map(file => [file, readFileSync(file, 'utf8')]));
};
const wrong = [
  ...wrongImports(sourcesOf('{contract,server,web}/**/*.{ts,tsx}')),
  ...largeCircles(sourcesOf('{contract,server,web,test,scripts,bench}/**/*.{ts,tsx}')),
];
for (const sentence of wrong) console.error(sentence);
if (wrong.length > 0) process.exitCode = 1;
