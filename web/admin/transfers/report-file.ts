import { saveFile } from '../../ui/save-file.ts';
import type { Report } from './query.ts';

export function saveReport(report: Report): void {
  const name = report.isDryRun ? 'import-dry-run.txt' : 'import.txt';
  saveFile(name, new Blob([textOf(report)], { type: 'text/plain;charset=utf-8' }));
}

function textOf(report: Report): string {
  const lists = [
    ['Posts open to everybody, visitors included', report.open, report.moreOpen],
    ['Closed by their tags', report.narrowedPosts, report.moreNarrowedPosts],
    ['Kept closed', report.closed, report.moreClosed],
    ['Skipped or left as it is', report.skipped, report.moreSkipped],
    ['Notes', report.notes, report.moreNotes],
  ] as const;
  const lines = lists.flatMap(([title, list, more]) => [
    `${title}: ${list.length + more}`,
    ...list.map(
      ({ source, title, file, text }) =>
        `  ${source}${title && title !== text ? ` (${title})` : ''}: ${file ? `file ${file} ` : ''}${text}`,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    '',
  ]);
  return [...lines, 'Not imported:', ...report.leftBehind.map(text => `  ${text}`), ''].join('\n');
}
