import type { ReactNode } from 'react';
import { importedThings, narrowedWords } from '../../../contract/transfer-sources.ts';
import { amount, number } from '../../ui/amount.ts';
import { formatSize } from '../../ui/format-size.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Fact, Facts } from '../tables.tsx';
import { Authors } from './authors.tsx';
import { Lines } from './lines.tsx';
import { type Report, type Transfer, useReportOf } from './query.ts';

const outcomes: Record<string, string> = {
  created: 'new',
  updated: 'changed',
  unchanged: 'already here',
  kept: 'left as they are',
  skipped: 'skipped',
};

type Props = {
  transfer: Transfer;
  /** What stands in place of the authors, while they can be chosen. */
  authors?: ReactNode;
};

/** The result of an import, or of its dry run. */
export function ReportOf({ transfer, authors }: Props) {
  const { interruptions } = transfer;
  const query = useReportOf(transfer);
  if (query.isPending) return <p className="status">Loading the report...</p>;
  // A report that is there stays when it cannot be loaded again.
  if (query.data === undefined)
    return (
      <LoadFailed text="Failed to load the report." error={query.error} onRetry={() => query.refetch()} />
    );
  const { report } = query.data;
  if (report === null) return <p className="status">There is no report.</p>;
  return (
    <>
      {report.narrowed > 0 && <p>{narrowedWords(report.wereOpen, report.narrowed, number)}</p>}
      <Lines
        title="Posts that the source does not restrict, with the tags that close them here"
        lines={report.narrowedPosts}
        more={report.moreNarrowedPosts}
      />
      <Open {...report} />
      <Counts {...report} />
      {interruptions > 0 && !report.isDryRun && (
        <p>The import was interrupted and continued: what it had imported before counts as “already here”.</p>
      )}
      {authors ?? <Authors {...report} />}
      <Tags {...report} />
      <Lines title="Skipped or left as it is" lines={report.skipped} more={report.moreSkipped} />
      <Lines title="Notes" lines={report.notes} more={report.moreNotes} />
      {report.leftBehind.length > 0 && (
        <>
          <h3>Not imported</h3>
          <ul className="lines">
            {report.leftBehind.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        <button type="button" className="quiet" onClick={() => saveReport(report)}>
          Save the whole report as a file
        </button>
      </p>
    </>
  );
}

/** First, who may read more than an author might expect. */
function Open({ open, moreOpen, closed, moreClosed }: Report) {
  const count = open.length + moreOpen;
  return (
    <>
      {count === 0 ? (
        <p>No posts are open to everybody.</p>
      ) : (
        <Lines
          title={`${amount(count, 'post')} open to everybody, visitors included`}
          lines={open}
          more={moreOpen}
          showsNumber={false}
        />
      )}
      <Lines
        title="Kept closed: the source has taken these tags from posts, which more people could read without them"
        lines={closed}
        more={moreClosed}
      />
    </>
  );
}

function Counts({ counts, comments, likes, files, bytes }: Report) {
  const rows = Object.entries(importedThings).flatMap(([kind, name]) => {
    const found = counts[kind];
    if (found === undefined) return [];
    const words = Object.entries(outcomes).flatMap(([outcome, word]) => {
      const count = found[outcome] ?? 0;
      return count > 0 ? `${number(count)} ${word}` : [];
    });
    return (
      <Fact key={kind} name={name}>
        {words.join(', ')}
      </Fact>
    );
  });
  if (rows.length === 0) return <p>There is nothing to import.</p>;
  return (
    <Facts>
      {rows}
      {comments > 0 && <Fact name="Comments">{number(comments)}</Fact>}
      {likes > 0 && <Fact name="Likes">{number(likes)}</Fact>}
      {files > 0 && <Fact name="New files">{`${number(files)} (${formatSize(bytes)})`}</Fact>}
    </Facts>
  );
}

/**
 * The numbers of published posts by tag. Only admins read posts with a tag until an admin gives it to
 * members.
 */
function Tags({ postsByTag }: Report) {
  const tags = Object.entries(postsByTag).sort(([, a], [, b]) => b - a);
  if (tags.length === 0) return null;
  return (
    <>
      <h3>Published posts by tag</h3>
      <p className="lead">
        A reader needs every tag of a post. Give the tags to your readers, or make them default tags, under
        Users.
      </p>
      <Facts>
        {tags.map(([name, count]) => (
          <Fact key={name} name={name}>
            {number(count)}
          </Fact>
        ))}
      </Facts>
    </>
  );
}

function saveReport(report: Report): void {
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
