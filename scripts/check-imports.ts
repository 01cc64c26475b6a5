import { globSync, readFileSync } from 'node:fs';
import { wrongImports } from './import-directions.ts';

/** Part of `npm run check`: the directions of imports. */
const files = globSync('{contract,server,web}/**/*.{ts,tsx}', { exclude: ['**/*.test.{ts,tsx}'] });
const wrong = wrongImports(new Map(files.map(file => [file, readFileSync(file, 'utf8')])));
for (const sentence of wrong) console.error(sentence);
if (wrong.length > 0) process.exitCode = 1;
