import { z } from 'zod';
import { transferLimits } from './constants.ts';
import { operation } from './operation.ts';
import { type ImportSource, importSources } from './transfer-sources.ts';
import { Id, Moment } from './values.ts';

const Source = z.enum(Object.keys(importSources) as [ImportSource, ...ImportSource[]]);
const count = z.int().nonnegative();

/** The whole site as one archive, or its posts as Markdown in a zip file. */
export const ExportFormat = z.enum(['archive', 'markdown']);
export type ExportFormat = z.output<typeof ExportFormat>;

/** `checked`: the dry run of an import has ended, and an admin must start the import. */
export const TransferState = z.enum(['waiting', 'running', 'checked', 'done', 'failed', 'cancelled']);
export type TransferState = z.output<typeof TransferState>;

/** An import or an export that the server makes in the background. */
export const Transfer = z.object({
  id: Id,
  of: z.discriminatedUnion('kind', [
    /** `isDryRun`: nothing is written yet. */
    z.object({ kind: z.literal('import'), source: Source, isDryRun: z.boolean() }),
    z.object({ kind: z.literal('export'), format: ExportFormat }),
  ]),
  state: TransferState,
  /** Progress: a number of items, or for an archive the part of `total` that is done. */
  done: count,
  /** Null if unknown. */
  total: count.nullable(),
  /** How often it was interrupted and continued. */
  interruptions: count,
  /** The admin who began it; null once the account is deleted. */
  by: z.string().nullable(),
  /** Names of the files that are imported. */
  files: z.array(z.string()),
  /** Why it failed. */
  error: z.string().nullable(),
  /** The file of an export, as long as it can be downloaded. `missing`: files whose bytes were missing. */
  made: z.object({ name: z.string(), size: count, posts: count, files: count, missing: count }).nullable(),
  createdAt: Moment,
  endedAt: Moment.nullable(),
});
export type Transfer = z.output<typeof Transfer>;

const Line = z.object({
  /** Its name within the source. */
  source: z.string(),
  text: z.string(),
  file: z.string().optional(),
  /** What a person recognises the post by, and its id here, if it is about a post. */
  title: z.string().optional(),
  postId: Id.optional(),
});

export const ImportReport = z.object({
  isDryRun: z.boolean(),
  /**
   * By kind (`post`, `person`, `settings`, `other`) and outcome (`created`, `updated`, `unchanged`, `kept`,
   * `skipped`).
   */
  counts: z.record(z.string(), z.record(z.string(), count)),
  comments: count,
  likes: count,
  files: count,
  bytes: count,
  postsByTag: z.record(z.string(), count),
  /**
   * How many posts name each author, and the account here that they belong to; `username` is null for none.
   * Empty in reports of earlier versions.
   */
  postsByAuthor: z
    .array(z.object({ name: z.string(), username: z.string().nullable(), posts: count }))
    .default([]),
  /**
   * How many published posts the source does not restrict, and how many of them tags keep from visitors here:
   * these posts, with those tags. 0 and empty in reports of earlier versions.
   */
  wereOpen: count.default(0),
  narrowed: count.default(0),
  narrowedPosts: z.array(Line).default([]),
  /** Posts that visitors may read. Empty in reports of earlier versions, like the next field. */
  open: z.array(Line).default([]),
  /** Posts that keep tags which the source has removed: without them more people could read the post. */
  closed: z.array(Line).default([]),
  /** What is not imported or left unchanged, and why. */
  skipped: z.array(Line),
  notes: z.array(Line),
  /** How many more lines of each kind there were. */
  moreNarrowedPosts: count.default(0),
  moreOpen: count.default(0),
  moreClosed: count.default(0),
  moreSkipped: count,
  moreNotes: count,
  /** What is never imported from such a source. */
  leftBehind: z.array(z.string()),
});

const One = z.strictObject({ transferId: Id });

export const transferOperations = {
  getTransfers: operation({
    for: 'admin',
    scope: 'members',
    summary: 'The latest imports and exports, newest first, and their limits.',
    output: z.object({
      transfers: z.array(Transfer),
      limits: z.object({
        maxFileBytes: count,
        /** The free space for files of the site, in bytes. */
        freeBytes: count,
      }),
    }),
  }),
  getTransferReport: operation({
    for: 'admin',
    scope: 'members',
    summary: 'The report of an import or of its dry run; null until there is one.',
    input: One,
    output: z.object({
      report: ImportReport.nullable(),
      /** With the report of a dry run: the admins and authors here, one of whom each author may be. */
      writers: z.array(z.object({ id: Id, username: z.string() })),
    }),
  }),
  checkImport: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Starts the dry run of an import from uploaded files. It changes nothing on the site.',
    input: z.strictObject({
      source: Source,
      /** Each file with its slot in the form and the address that its upload returned. */
      files: z
        .array(z.strictObject({ slot: z.string().max(20), url: z.string().max(200) }))
        .min(1, 'Choose a file.')
        .max(transferLimits.maxFiles, `At most ${transferLimits.maxFiles} files can be imported at once.`),
    }),
    output: z.object({ transferId: Id }),
  }),
  startImport: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary: 'Starts an import whose dry run is done.',
    input: One.extend({
      /**
       * Also removes the tags of posts listed as `closed` that the source has removed, so that more people
       * can read them.
       */
      opens: z.boolean().default(false),
      /**
       * Whether published posts that the source does not restrict come without the tags that would keep them
       * from visitors here.
       */
      leavesTagsOut: z.boolean().default(false),
      /**
       * The account here of each author whom the report names; null for nobody. Names that are left out are
       * looked up among the authors of the site.
       */
      authors: z
        .array(z.strictObject({ name: z.string().max(200), userId: Id.nullable() }))
        .max(transferLimits.maxAuthors)
        .default([]),
    }),
  }),
  startExport: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary: 'Starts an export of the whole site, or of its posts as Markdown.',
    input: z.strictObject({ format: ExportFormat }),
    output: z.object({ transferId: Id }),
  }),
  endTransfer: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Stops an import or an export, and deletes its files; what was imported before stays.',
    input: One,
  }),
  openExport: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary: 'An address from which the calling browser may download an export for a few minutes.',
    input: One,
    output: z.object({ url: z.string() }),
  }),
};
