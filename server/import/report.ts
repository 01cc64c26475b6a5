import { cutAtWord } from '../../contract/text.ts';

/** The outcome of an item. A `kept` one was changed or deleted in Coterie since its last import, and stays as it is. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'kept' | 'skipped';

/** The outcome of one item of a source; in a dry run, the outcome that an import would have. */
export type ImportedItem = {
  kind: 'post' | 'person' | 'settings' | 'other';
  /** Its id within the source: a path, an address, a number. */
  source: string;
  outcome: Outcome;
  /** Why it was kept or skipped. */
  reason?: string;
  notes: readonly string[];
  /** How many comments, likes and files this run has imported with it. */
  comments?: number;
  likes?: number;
  files?: number;
  /** Bytes of those files. */
  bytes?: number;
  /** The author whom the source names, and the username of the account that has the post here, if one has. */
  author?: { name: string; username: string | null } | undefined;
  /** Tags of a published post, or granted to a person. */
  tags?: readonly string[];
};

/** Lines of one kind that a report keeps: nobody reads more of them. */
const maxLines = 1_000;

/** Names of authors that a report keeps, and characters of one. */
const maxAuthors = 500;
const authorCharacters = 100;

export type Line = { source: string; text: string };

/** What an import has done, in numbers and the first lines of each kind. Plain JSON, so that it can be stored at each step. */
export type ImportReport = {
  isDryRun: boolean;
  counts: Record<string, Partial<Record<Outcome, number>>>;
  comments: number;
  likes: number;
  files: number;
  bytes: number;
  /** How many of the posts that came, or would come, are published under each tag. */
  postsByTag: Record<string, number>;
  /** How many posts name each author, and the username of the account that has them here, if one has. */
  postsByAuthor: { name: string; username: string | null; posts: number }[];
  skipped: Line[];
  notes: Line[];
  /** How many more there were of each. */
  moreSkipped: number;
  moreNotes: number;
  leftBehind: readonly string[];
};

export function emptyReport(isDryRun: boolean, leftBehind: readonly string[]): ImportReport {
  return {
    isDryRun,
    counts: {},
    comments: 0,
    likes: 0,
    files: 0,
    bytes: 0,
    postsByTag: {},
    postsByAuthor: [],
    skipped: [],
    notes: [],
    moreSkipped: 0,
    moreNotes: 0,
    leftBehind,
  };
}

/** Adds an item to the report. */
export function addToReport(report: ImportReport, item: ImportedItem): void {
  report.counts[item.kind] ??= {};
  const counts = report.counts[item.kind] ?? {};
  counts[item.outcome] = (counts[item.outcome] ?? 0) + 1;
  report.comments += item.comments ?? 0;
  report.likes += item.likes ?? 0;
  report.files += item.files ?? 0;
  report.bytes += item.bytes ?? 0;
  if (item.kind === 'post') {
    for (const tag of item.tags ?? []) report.postsByTag[tag] = (report.postsByTag[tag] ?? 0) + 1;
    if (item.author !== undefined) countAuthor(report, item.author);
  }
  if (item.reason !== undefined) {
    if (report.skipped.length < maxLines) report.skipped.push({ source: item.source, text: item.reason });
    else report.moreSkipped += 1;
  }
  for (const text of item.notes) {
    if (report.notes.length < maxLines) report.notes.push({ source: item.source, text });
    else report.moreNotes += 1;
  }
}

function countAuthor(
  { postsByAuthor }: ImportReport,
  author: { name: string; username: string | null },
): void {
  const { username } = author;
  const name = cutAtWord(author.name, authorCharacters);
  const same = postsByAuthor.find(line => line.name === name && line.username === username);
  if (same !== undefined) same.posts += 1;
  else if (postsByAuthor.length < maxAuthors) postsByAuthor.push({ name, username, posts: 1 });
}
