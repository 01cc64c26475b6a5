import { Command } from 'commander';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { largestFile } from '../files/uploads/largest.ts';
import { type AuthorChoices, keyOf } from '../moving/import/authors.ts';
import { dayOneSource } from '../moving/import/dayone/source.ts';
import type { Source } from '../moving/import/draft.ts';
import { parseHashConfig } from '../moving/import/firebase/auth-export.ts';
import { firebaseSource } from '../moving/import/firebase/source.ts';
import { ghostSource } from '../moving/import/ghost/source.ts';
import { markdownSource } from '../moving/import/markdown/source.ts';
import { mastodonSource } from '../moving/import/mastodon/source.ts';
import { fetchingMedia } from '../moving/import/media/fetch.ts';
import { wordpressSource } from '../moving/import/wordpress/source.ts';
import { importAll } from '../moving/transfers/run.ts';
import { printReport, showProgress, writeReport } from './import-report.ts';
import { readText } from './keys.ts';
import { print } from './print.ts';
import { requireUser } from './user.ts';
import { withDeps } from './with-deps.ts';

type ImportOptions = {
  author?: string[];
  dryRun?: boolean;
  fetchMedia?: string[];
  open?: boolean;
  leaveTagsOut?: boolean;
};

/** `coterie import ...`: imports posts from another program, with their readers where the source has them. */
export function importCommand(): Command {
  const command = withOptions(new Command('import'))
    .description('import a folder or zip archive of Markdown files as posts; run it again to import changes')
    .argument('<folder>', 'where the .md, .mdx and .markdown files are, at any depth')
    .action(async (folder: string, options: ImportOptions) => {
      await importFrom(options, async deps => markdownSource(folder, (await deps.settings()).timeZone));
    });
  for (const source of [firebase, wordpress, ghost, mastodon, dayOne]) command.addCommand(source());
  return command;
}

const firebase = () =>
  withOptions(new Command('firebase'))
    .description(
      'import a whole Firebase project: accounts with their passwords, posts, likes, comments, files',
    )
    .argument(
      '<folder>',
      'the exports of Firestore and Authentication, at any depth of a folder or a zip archive',
    )
    .option(
      '--hash-config <file>',
      "the project's password hash parameters, as Firebase's console shows them",
    )
    .option('--storage <folder>', 'a copy of the bucket, a folder or a zip archive')
    .action(async (folder: string, _: object, source: Command) => {
      const options = source.optsWithGlobals<ImportOptions & { hashConfig?: string; storage?: string }>();
      const { hashConfig, storage } = options;
      await importFrom(options, async () => {
        const parameters = hashConfig && parseHashConfig(await readText(hashConfig));
        return await firebaseSource({ folder, storage, ...(parameters && { parameters }) });
      });
    });

const wordpress = () =>
  withOptions(new Command('wordpress'))
    .description(
      'import a WordPress site: posts, pages, comments, pictures, and accounts with their passwords',
    )
    .argument('<files...>', 'what Tools, Export writes (WXR); all files of one site')
    .option('--media <folder>', 'a copy of wp-content/uploads, a folder or a zip archive')
    .option('--users <file>', 'a CSV file of the accounts, as `wp user list` writes it')
    .action(async (files: string[], _: object, source: Command) => {
      const options = source.optsWithGlobals<ImportOptions & { media?: string; users?: string }>();
      const { media, users } = options;
      await importFrom(options, async ({ settings }) => {
        const { timeZone } = await settings();
        return await wordpressSource({ files, media, users, timeZone });
      });
    });

const ghost = () =>
  withOptions(new Command('ghost'))
    .description('import a Ghost site: posts, pages, pictures, those who wrote there, and its members')
    .argument('<file>', 'what Settings, Import/Export writes')
    .option('--images <folder>', "a copy of Ghost's content folder, a folder or a zip archive")
    .option('--members <file>', 'the CSV file that Members, Export writes')
    .action(async (file: string, _: object, source: Command) => {
      const options = source.optsWithGlobals<ImportOptions & { images?: string; members?: string }>();
      await importFrom(options, () => ghostSource({ file, ...options }));
    });

const mastodon = () =>
  withOptions(new Command('mastodon'))
    .description('import the archive of a Mastodon account')
    .argument('<archive>', 'the archive that was asked for under Import and export: a zip file, or unpacked')
    .action(async (archive: string, _: object, source: Command) => {
      await importFrom(source.optsWithGlobals<ImportOptions>(), () => mastodonSource(archive));
    });

const dayOne = () =>
  withOptions(new Command('dayone'))
    .description('import journals of Day One with their photos, videos and recordings')
    .argument('<archive>', 'what File, Export, JSON writes: a zip file, or unpacked')
    .action(async (archive: string, _: object, source: Command) => {
      await importFrom(source.optsWithGlobals<ImportOptions>(), async ({ settings }) =>
        dayOneSource(archive, (await settings()).timeZone),
      );
    });

/**
 * Options of every source. `coterie import` itself parses them at any place, so each source reads them with
 * `optsWithGlobals`; otherwise it would miss a `--dry-run`.
 */
function withOptions(command: Command): Command {
  return command
    .option(
      '--author <[name=]user>',
      'username or email address of the author of posts that name none (default: the first admin), and of those whose author has no account here; NAME=USER of posts by this name (may be repeated)',
      (author: string, before: string[] = []) => [...before, author],
    )
    .option('--dry-run', 'show what would be imported, without writing')
    .option(
      '--leave-tags-out',
      'published posts that the source does not restrict come without the tags that would close them here: everybody can read them, visitors included',
    )
    .option('--open', 'also open posts from which the source has taken tags since they were imported')
    .option(
      '--fetch-media <host>',
      'fetch pictures that the source does not hold from this host (may be repeated)',
      (host: string, before: string[] = []) => [...before, host],
    );
}

/** Runs an import and prints its report. Exits with 1 if nothing was imported. */
async function importFrom(
  { author, dryRun, fetchMedia, open: isOpening, leaveTagsOut: leavesTagsOut }: ImportOptions,
  open: (deps: Deps) => Promise<Source>,
): Promise<void> {
  const isDryRun = dryRun === true;
  const { report, file } = await withDeps(isDryRun ? 'nothing' : 'make', async deps => {
    const { authorId, authors } = await authorsOf(deps, author ?? []);
    const by = { ...deps.by, via: 'import' as const };
    const source = await open(deps);
    const maxBytes = await largestFile(deps);
    const whole = fetchMedia ? fetchingMedia(source, { hosts: fetchMedia, maxBytes }) : source;
    const progress = showProgress();
    const options = { authorId, authors, isDryRun, isOpening, leavesTagsOut };
    const importing = importAll({ ...deps, by }, whole, options, progress.show, Number.POSITIVE_INFINITY);
    const made = await importing.finally(progress.end);
    return { report: made, file: await writeReport(deps.config, made) };
  });
  printReport(report);
  print(`The whole report is in ${file}.`);
  const outcomes = Object.values(report.counts).flatMap(counts => Object.keys(counts));
  if (outcomes.every(outcome => outcome === 'skipped')) process.exitCode = 1;
}

/** The authors of the posts, as `--author` names them. Throws not-found for an unknown user. */
async function authorsOf(
  { db }: Deps,
  given: readonly string[],
): Promise<{ authorId: string | null; authors: AuthorChoices }> {
  const byName = new Map<string, string>();
  let others: string | null = null;
  for (const author of given) {
    const end = author.lastIndexOf('=');
    const id = await requireUser({ db }, author.slice(end + 1));
    if (end < 0) others = id;
    else byName.set(keyOf(author.slice(0, end)), id);
  }
  return { authorId: others ?? (await firstAdmin(db)), authors: { byName, others } };
}

async function firstAdmin(db: Kysely<Tables>): Promise<string | null> {
  const admins = db.selectFrom('users').select('id').where('is_admin', '=', true);
  const first = await admins.where('status', '=', 'approved').orderBy('created_at').executeTakeFirst();
  return first?.id ?? null;
}
