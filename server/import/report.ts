import { cutAtWord } from '../../contract/text.ts';

/** What became of an item. `kept` was changed or deleted in Coterie since, and stays as it is there. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'kept' | 'skipped';

/** What became of one item of a source, or would become of it in a dry run. */
export type ImportedItem = {
  kind: 'post' | 'person' | 'settings' | 'other';
  /** Its id within the source: a path, an address, a number. */
  source: string;
  outcome: Outcome;
  /** Why it was kept or skipped. */
  reason?: string;
  notes: readonly string[];
  /** What came along with it, this time. */
  comments?: number;
  likes?: number;
  files?: number;
  /** Bytes of those files. */
  bytes?: number;
  /** Whom the source names as the author of a post, and whose it is here: nobody's without a username. */
  author?: { name: string; username: string | null } | undefined;
  /** Tags of a published post, or granted to a person. */
  tags?: readonly string[];
};

/** Lines of one kind that a report keeps: who imports a hundred thousand files reads no more. */
const maxLines = 1_000;

/** Names of authors that a report keeps, and characters of one. */
const maxAuthors = 500;
const authorCharacters = 100;

export type Line = { source: string; text: string };

/** What an import has done, in numbers and in as many words as somebody reads. Plain JSON: it is kept while it grows. */
export type ImportReport = {
  isDryRun: boolean;
  counts: Record<string, Partial<Record<Outcome, number>>>;
  comments: number;
  likes: number;
  files: number;
  bytes: number;
  /** How many of the posts that came, or would come, are published under each tag. */
  postsByTag: Record<string, number>;
  /** How many of them name each author, and whose they are here; nobody's without a username. */
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

/** Counts one more item in. */
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
