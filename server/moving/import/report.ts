import { transferLimits } from '../../../contract/constants.ts';
import { cutAtWord } from '../../../contract/text.ts';

/**
 * The outcome of an item. A `kept` one was changed or deleted in Coterie since its last import, and stays as
 * it is.
 */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'kept' | 'skipped';

/** What the report says about an item, or about one of its files. */
export type Note = string | { file: string; text: string };

/** The outcome of one item of a source; in a dry run, the outcome of an import. */
export type ImportedItem = {
  kind: 'post' | 'person' | 'settings' | 'other';
  /** Its id within the source: a path, an address, a number. */
  source: string;
  outcome: Outcome;
  /** Why it was kept or skipped. */
  reason?: string;
  notes: readonly Note[];
  /** What a person recognises a post by, and its id if it is here. */
  post?: { title: string; id?: string };
  /** How many comments, likes and files this run has imported with it. */
  comments?: number;
  likes?: number;
  files?: number;
  bytes?: number;
  /** The author whom the source names, and the username of the account that has the post here, if any. */
  author?: { name: string; username: string | null } | undefined;
  tags?: readonly string[];
  /** The title of a post that visitors may read. */
  open?: string | undefined;
  /** Whether the source restricts the post to nobody, and the tags that alone keep visitors from it here. */
  wasOpen?: boolean;
  narrowedBy?: readonly string[];
  /** Tags that a post keeps although the source has removed them: without them more people could read it. */
  closed?: readonly string[];
};

/** The most lines of one kind that a stored report keeps. */
const maxLines = 5_000;

/** The most characters of a line and of its origin: an address may be as long as its text. */
const textCharacters = 500;
const sourceCharacters = 300;
/** The most tags that a report counts: more than any site has. */
const maxTags = 2_000;

const authorCharacters = 100;

/** The name of an author as the report has it, and as choices of accounts say it. */
export const nameInReport = (name: string) => cutAtWord(name, authorCharacters);

/** `file` is the one that the text is about, `title` and `postId` are those of the post. */
export type Line = { source: string; text: string; file?: string; title?: string; postId?: string };

/**
 * The result of an import, in numbers and the first lines of each kind. Plain JSON, so that it can be stored
 * at each step.
 */
export type ImportReport = {
  isDryRun: boolean;
  counts: Record<string, Partial<Record<Outcome, number>>>;
  comments: number;
  likes: number;
  files: number;
  bytes: number;
  postsByTag: Record<string, number>;
  /** How many posts name each author, and the username of the account that has them here, if any. */
  postsByAuthor: { name: string; username: string | null; posts: number }[];
  /** How many posts the source does not restrict, and how many of them tags keep from visitors here. */
  wereOpen: number;
  narrowed: number;
  /** The latter. */
  narrowedPosts: Line[];
  /** Posts that visitors may read, and posts that keep tags which the source has removed. */
  open: Line[];
  closed: Line[];
  skipped: Line[];
  notes: Line[];
  /** How many more of each there were. */
  moreNarrowedPosts: number;
  moreOpen: number;
  moreClosed: number;
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
    // A tag may have the name of an object's property, such as ‘constructor’.
    postsByTag: Object.create(null),
    postsByAuthor: [],
    wereOpen: 0,
    narrowed: 0,
    narrowedPosts: [],
    open: [],
    closed: [],
    skipped: [],
    notes: [],
    moreNarrowedPosts: 0,
    moreOpen: 0,
    moreClosed: 0,
    moreSkipped: 0,
    moreNotes: 0,
    leftBehind: leftBehind.slice(0, maxLines).map(text => cutAtWord(text, textCharacters)),
  };
}

/** Adds an item to the report, which keeps {@link maxLines} lines of each kind. */
export function addToReport(report: ImportReport, item: ImportedItem, most = maxLines): void {
  report.counts[item.kind] ??= {};
  const counts = report.counts[item.kind] ?? {};
  counts[item.outcome] = (counts[item.outcome] ?? 0) + 1;
  report.comments += item.comments ?? 0;
  report.likes += item.likes ?? 0;
  report.files += item.files ?? 0;
  report.bytes += item.bytes ?? 0;
  if (item.wasOpen) report.wereOpen += 1;
  if (item.narrowedBy?.length) report.narrowed += 1;
  for (const tag of item.tags ?? []) countTag(report, tag);
  if (item.author !== undefined) countAuthor(report, item.author);
  const add = (kind: keyof typeof linesOf, note: Note) => {
    const lines = report[linesOf[kind]];
    if (lines.length < most) lines.push(lineOf(item, note));
    else report[`more${kind}`] += 1;
  };
  if (item.open !== undefined) add('Open', item.open);
  if (item.narrowedBy?.length) add('NarrowedPosts', item.narrowedBy.join(', '));
  if (item.closed?.length) add('Closed', item.closed.join(', '));
  if (item.reason !== undefined) add('Skipped', item.reason);
  for (const note of item.notes) add('Notes', note);
}

const linesOf = {
  NarrowedPosts: 'narrowedPosts',
  Open: 'open',
  Closed: 'closed',
  Skipped: 'skipped',
  Notes: 'notes',
} as const;

function lineOf({ source, post }: ImportedItem, note: Note): Line {
  const { file, text } = typeof note === 'string' ? { text: note } : note;
  return {
    source: cutAtWord(source, sourceCharacters),
    text: cutAtWord(text, textCharacters),
    ...(file !== undefined && { file: cutAtWord(file, sourceCharacters) }),
    ...(post && { title: post.title, ...(post.id !== undefined && { postId: post.id }) }),
  };
}

function countTag(report: ImportReport, tag: string): void {
  const { postsByTag } = report;
  const count = postsByTag[tag];
  if (count !== undefined) postsByTag[tag] = count + 1;
  else if (Object.keys(postsByTag).length < maxTags) postsByTag[tag] = 1;
}

function countAuthor(
  { postsByAuthor }: ImportReport,
  author: { name: string; username: string | null },
): void {
  const { username } = author;
  const name = nameInReport(author.name);
  const same = postsByAuthor.find(line => line.name === name && line.username === username);
  if (same !== undefined) same.posts += 1;
  else if (postsByAuthor.length < transferLimits.maxAuthors) postsByAuthor.push({ name, username, posts: 1 });
}
