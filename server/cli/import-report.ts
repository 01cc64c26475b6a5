import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { importedThings, narrowedWords } from '../../contract/transfer-sources.ts';
import type { ImportReport, Line, Outcome } from '../moving/import/report.ts';
import { mebibytes, print, printableLine } from './print.ts';

/** The most lines of one kind that are shown; the file has all. Skipped items are all shown. */
const maxShown = 20;

const outcomes: readonly Outcome[] = ['created', 'updated', 'unchanged', 'kept', 'skipped'];

export function printReport(report: ImportReport): void {
  print(reportText(report, maxShown));
}

/**
 * Writes the full report to a file in the data folder, replacing that of the previous import or dry run.
 * Returns its path.
 */
export async function writeReport({ dataDir }: { dataDir: string }, report: ImportReport): Promise<string> {
  const file = resolve(dataDir, 'reports', report.isDryRun ? 'import-dry-run.txt' : 'import.txt');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${reportText(report, Number.POSITIVE_INFINITY)}\n`, { mode: 0o600 });
  return file;
}

function reportText(report: ImportReport, most: number): string {
  const found = [...counted(report), ...alongside(report)];
  const lines = [
    ...opened(report, most),
    ...narrowed(report, most),
    ...(found.length === 0 ? ['There is nothing to import.'] : found),
    ...authored(report),
    ...tagged(report),
    ...listed('Skipped or unchanged:', report.skipped, report.skipped.length, report.moreSkipped),
    ...listed('Notes:', report.notes, most, report.moreNotes),
  ];
  if (report.leftBehind.length > 0)
    lines.push('Not imported:', ...report.leftBehind.map(text => `  ${printableLine(text)}`));
  return lines.join('\n');
}

/** First, who may read more than an author might expect. */
function opened({ open, closed, moreOpen, moreClosed }: ImportReport, most: number): string[] {
  const count = open.length + moreOpen;
  return [
    ...(count === 0
      ? ['No posts open to everybody.']
      : listed(
          `${count} ${count === 1 ? 'post' : 'posts'} open to everybody, visitors included:`,
          open,
          most,
          moreOpen,
        )),
    ...listed(
      'These posts keep tags that the source has taken from them, because more people could read them without. To open them, run it again with --open:',
      closed,
      most,
      moreClosed,
    ),
  ];
}

/** Says that tags keep readers away here, which they did not at the source. */
function narrowed(
  { wereOpen, narrowed: count, narrowedPosts, moreNarrowedPosts }: ImportReport,
  most: number,
): string[] {
  if (count === 0) return [];
  return [
    `${narrowedWords(wereOpen, count)} With --leave-tags-out they come without these tags, and everybody can read them.`,
    ...listed('These posts, with the tags that close them:', narrowedPosts, most, moreNarrowedPosts),
  ];
}

function counted({ isDryRun, counts }: ImportReport): string[] {
  return Object.entries(importedThings).flatMap(([kind, name]) => {
    const found = counts[kind];
    if (found === undefined) return [];
    const parts = outcomes.flatMap(outcome => (found[outcome] ? `${found[outcome]} ${outcome}` : []));
    return `${name}${isDryRun ? ' (nothing is written)' : ''}: ${parts.join(', ')}.`;
  });
}

function alongside({ comments, likes, files, bytes }: ImportReport): string[] {
  if (comments + likes + files === 0) return [];
  return [`With ${comments} comments, ${likes} likes, ${files} new files (${mebibytes(bytes)}).`];
}

/** Warns about posts without an author: only admins may change them. */
function authored({ postsByAuthor }: ImportReport): string[] {
  if (postsByAuthor.length === 0) return [];
  const isLost = postsByAuthor.some(({ username }) => username === null);
  return [
    `Posts by author${isLost ? ' (--author NAME=USERNAME says who somebody is here; run it again with that)' : ''}:`,
    ...postsByAuthor.map(({ name, username, posts }) => {
      const who =
        username === null
          ? 'no author or admin here has this username or address: they name no author'
          : username;
      return `  ${printableLine(name)}: ${posts} (${who})`;
    }),
  ];
}

/** Until an admin gives a tag to somebody, only admins can read the posts with it. */
function tagged({ postsByTag }: ImportReport): string[] {
  const tags = Object.entries(postsByTag).sort(([, a], [, b]) => b - a);
  if (tags.length === 0) return [];
  return [
    'Published posts by tag (a reader needs every tag of a post; see Admin, Tags and Users):',
    ...tags.map(([name, count]) => `  ${name}: ${count}`),
  ];
}

function listed(title: string, lines: readonly Line[], most: number, more: number): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - Math.min(lines.length, most) + more;
  return [
    title,
    ...lines
      .slice(0, most)
      .map(({ source, file, text }) =>
        [
          `  ${printableLine(source)}:`,
          ...(file ? ['file', printableLine(file)] : []),
          printableLine(text),
        ].join(' '),
      ),
    ...(left > 0 ? [`  and ${left} more.`] : []),
  ];
}

/** Counts imported items on one line of the terminal; does nothing without a terminal. */
export function showProgress() {
  if (!process.stderr.isTTY) return { show: () => {}, end: () => {} };
  let shownAt = 0;
  return {
    show: ({ done, total }: { done: number; total: number | undefined }) => {
      const now = performance.now();
      if (now - shownAt < 100) return;
      shownAt = now;
      process.stderr.write(`\r${done}${total === undefined ? '' : ` of ${total}`} `);
    },
    end: () => process.stderr.write('\r\u001B[K'),
  };
}
