import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { wrongCounts } from '../support/imports.ts';
import { markdownFolder, outcomes } from '../support/markdown-folder.ts';

const { write, run } = markdownFolder();

const corpus = join(import.meta.dirname, '../../../shared/corpus');

describe.skipIf(!existsSync(corpus))(
  'the blog of Node.js in shared/corpus (skipped where the folder is missing)',
  () => {
    describeEngines(({ site, engine }) => {
      // On one engine: nearly all of the half minute that it takes is Markdown.
      it.runIf(engine === 'postgres')('the blog of Node.js is taken whole, and once', async () => {
        const s = await site();
        const first = await run(s, { from: corpus });
        expect(first.filter(file => file.source.endsWith('.md'))).toHaveLength(280);
        expect(first.filter(file => file.outcome !== 'created')).toEqual([]);
        expect((await run(s, { from: corpus })).filter(file => file.outcome !== 'unchanged')).toEqual([]);
        const source = 'nodejs-blog/community/transitions.md';
        await write({ [source]: `${await readFile(join(corpus, source), 'utf8')}\nOne more line.\n` });
        expect(outcomes(await run(s))).toEqual({ [source]: 'updated' });
        expect(await wrongCounts(s)).toEqual([]);
      });
    });
  },
);
