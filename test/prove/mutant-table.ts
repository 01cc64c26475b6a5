import type { Hunted } from './hunt.ts';
import type { Mistake } from './plant.ts';

/** A mistake of the table. */
export type Mutant = Mistake & {
  /** Deeds that run the changed code: they are done more often, so that the mistake is found sooner. */
  deeds?: string[];
  /** The stored history (seeds.ts) that finds it, if random ones seldom do. */
  history?: string;
  /** The test that finds it, if the tester does not: the arguments of vitest, a file and perhaps a title. */
  test?: string;
  /** Why the tester does not find it, or why it has no visible effect: then nothing finds it. */
  elsewhere?: string;
  equivalent?: string;
};

/** A mistake that was looked for, as the table had it then. */
export type Judged = Hunted & {
  key: string;
  /** Whether the finding must still be repeated, and shown not to happen on the unchanged sources. */
  isOnce?: boolean;
};

export function isKilled(judged: Hunted | undefined): boolean {
  return judged?.finding !== undefined;
}

/** mutants.md: every mistake and what found it. */
export function tableOf(all: readonly { mutant: Mutant; judged: Judged | undefined }[]): string {
  const killed = all.filter(({ judged }) => isKilled(judged));
  const byTests = killed.filter(({ mutant }) => mutant.test !== undefined);
  const equivalent = all.filter(({ mutant, judged }) => mutant.equivalent !== undefined && !isKilled(judged));
  const unknown = all.filter(({ mutant, judged }) => !judged && mutant.equivalent === undefined);
  const missed = all.length - killed.length - equivalent.length - unknown.length;
  const once = killed.filter(({ judged }) => judged?.isOnce);
  const seconds = all.reduce((sum, { judged }) => sum + (judged?.seconds ?? 0), 0);
  const rows = all.map(({ mutant, judged }) => {
    const { file, find, put } = mutant;
    return `| \`${file}\` | ${code(find)} | ${code(put)} | ${fateOf(mutant, judged)} |`;
  });
  return `# Mistakes made on purpose

Written by \`npm run prove:mutants -- --write\`; [security.md](../../docs/security.md#what-is-proved-and-how) says what it is for. Each row is
one mistake made in the sources, and nothing else is changed. The tester of the rule (\`test/prove\`) then plays histories of
forty steps until something differs from the model. A finding counts if the same history, played again, shows one again, and shows
none on the unchanged sources. A stored history is one of \`test/prove/seeds\`, which \`npm test\` plays on the unchanged sources. If a
row names another test, that test was run with the mistake.

${all.length} mistakes: ${killed.length - byTests.length} found by the tester, ${byTests.length} by another test, ${equivalent.length} without a visible effect, ${missed} not found yet, ${unknown.length} not looked for yet.
${once.length === 0 ? '' : `${once.length} of the findings are from earlier sources, and were not repeated yet.\n`}It took ${Math.ceil(seconds / 60)} minutes of one processor.

| File | Text | Replaced by | Found by |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function fateOf({ test, history, elsewhere, equivalent }: Mutant, judged: Judged | undefined): string {
  if (judged === undefined && equivalent === undefined) return '**not looked for yet**';
  if (judged?.finding === undefined) {
    if (equivalent !== undefined) return `nothing: ${cell(equivalent)}`;
    return test === undefined ? `**nothing in ${judged?.steps} steps**` : `**not** \`${cell(test)}\``;
  }
  if (test !== undefined) return `\`${cell(test)}\`${elsewhere === undefined ? '' : `: ${cell(elsewhere)}`}`;
  const where = judged.isOnce
    ? 'once, on earlier sources'
    : history !== undefined
      ? `in the stored history ${history}`
      : `after ${judged.steps} steps, seed ${judged.seed}`;
  return `${cell(plain(judged.finding))} (${where})`;
}

/** A finding without the words and ids of its history. */
function plain(finding: string): string {
  return finding
    .replaceAll(/zq[0-9a-z]{8}q \(([^)]*)\)/g, '$1')
    .replaceAll(/zq[0-9a-z]{8}q/g, '…')
    .replaceAll(/(?<![\w-])(?=[\w-]*\d)[\w-]{16}(?![\w-])/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160);
}

function code(source: string): string {
  const line = source.replaceAll(/\s+/g, ' ').trim();
  return line === ''
    ? 'nothing'
    : `<code>${cell(line).replaceAll('<', '&lt;').replaceAll('`', '&#96;')}</code>`;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
