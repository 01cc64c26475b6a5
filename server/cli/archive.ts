import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { moment } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import { type ArchiveEncryption, readConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { lacksMore, noteBackup, noteFailure } from '../moving/archive/backup-state.ts';
import { type Exported, exportSite } from '../moving/archive/export.ts';
import type { Manifest } from '../moving/archive/format.ts';
import { exportMarkdown, exportMarkdownZip } from '../moving/archive/markdown-targets.ts';
import { restoreSite } from '../moving/archive/restore.ts';
import { backupOf } from '../moving/archive/schedule.ts';
import { archiveFile, archiveWith } from '../moving/archive/source.ts';
import { verifyArchive } from '../moving/archive/verify.ts';
import { report } from './doctor.ts';
import type { Finding } from './examine.ts';
import {
  type EncryptionOptions,
  encryptionOf,
  type KeyOptions,
  keysOf,
  withEncryptionOptions,
  withKeyOptions,
} from './keys.ts';
import { mebibytes, print, printError } from './print.ts';
import { rehearse } from './with-copy.ts';
import { withDeps } from './with-deps.ts';

type ExportOptions = EncryptionOptions & { markdown?: string; rehearse?: boolean; acceptMissing?: boolean };

/** `coterie export [file]`: the whole site as one archive. Exits with 2 if more files are missing. */
export function exportCommand(): Command {
  return withRehearsal(withEncryptionOptions(new Command('export')))
    .alias('backup')
    .description('save the whole site to one archive (also while it runs)')
    .argument('[file]', 'the archive to write (default: in backups/ of the data folder)')
    .option(
      '--markdown <folder>',
      'write every post as Markdown with its files and comments instead, into a folder or a new file that ends in .zip',
    )
    .option('--accept-missing', 'count it as a backup even if it lacks more files than the one before')
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { markdown, rehearse: isRehearsed, acceptMissing = false } = options;
      const encryption = await encryptionOf(options);
      if (markdown !== undefined && encryption !== undefined)
        throw new AppError('invalid-argument', 'Only an archive can be encrypted, not --markdown.');
      if (markdown !== undefined) return await writeMarkdown(markdown);
      const { path, manifest, key, lacking } = await withDeps('nothing', deps =>
        saveArchive(deps, file, { encryption, acceptMissing }),
      );
      print(`Saved to ${path}, and read back: ${describe(manifest)}.`);
      warnOfMissing(manifest);
      if (isRehearsed) await noteRehearsal(manifest, () => rehearse(archiveWith(path, key)));
      if (lacking === undefined) return;
      printError(lacking);
      process.exitCode = 2;
    });
}

/**
 * Saves the site to an archive, reads it back, and records the result. `lacking` says why it does not count
 * as a backup.
 */
export async function saveArchive(
  deps: Deps,
  file: string | undefined,
  {
    encryption,
    acceptMissing = false,
  }: { encryption?: ArchiveEncryption | undefined; acceptMissing?: boolean },
): Promise<Exported & { lacking: string | undefined }> {
  const exported = await exportSite(deps, file, { encryption });
  // Read back from the disk, as a restore will.
  await verifyArchive(archiveWith(exported.path, exported.key));
  const lacking = acceptMissing ? undefined : await lacksMore(deps.db, exported.manifest);
  await (lacking === undefined ? noteExport(deps, exported) : noteFailure(deps, lacking));
  return { ...exported, lacking };
}

/** `coterie verify <file>`: whether an archive is complete. */
export function verifyCommand(): Command {
  return withRehearsal(withKeyOptions(new Command('verify')))
    .description('read an archive and compare all its check sums and counts')
    .argument('<file>', 'an archive made by `coterie export`')
    .action(async (file: string, options: KeyOptions & { rehearse?: boolean }) => {
      const archive = await archiveFile(file, await keysOf(options));
      const { manifest } = await verifyArchive(archive);
      print(`${file} is whole, of ${manifest.createdAt}: ${describe(manifest)}.`);
      warnOfMissing(manifest);
      if (options.rehearse === true) report(await rehearse(archive));
    });
}

/** `coterie restore <file>`: an archive into an empty site, on either engine. */
export function restoreCommand(): Command {
  return withKeyOptions(new Command('restore'))
    .description('bring an archive back, into a site that is empty')
    .argument('<file>', 'an archive made by `coterie export`')
    .option('--force', 'also into a store (FILES_URL) that already holds files of this site')
    .option(
      '--keep-access',
      'keep access tokens, open invitations, secret addresses and webhooks: for a site that only moves',
    )
    .action(async (file: string, options: KeyOptions & { force?: boolean; keepAccess?: boolean }) => {
      const archive = await archiveFile(file, await keysOf(options));
      const manifest = await restoreSite(readConfig(process.env), archive, {
        isForced: options.force === true,
        keepsAccess: options.keepAccess === true,
      });
      print(`Restored: ${describe(manifest)}. Start the site to use it; \`coterie doctor\` checks it.`);
      print(
        `The site is as it was at ${manifest.createdAt}. What was decided since then is undone: denials, tags, roles, new passwords, ` +
          'removed passkeys, unsubscriptions. Decide again. `coterie history --since DATE`, run on the data of before, lists the decisions.',
      );
      print(
        options.keepAccess === true
          ? 'Its access tokens, open invitations, webhooks, and addresses of feeds and of posts by mail were kept.'
          : 'Its access tokens, open invitations, webhooks, and addresses of feeds and of posts by mail were revoked: make new ones where they are needed.',
      );
      warnOfMissing(manifest);
    });
}

/** The option of a command that tries to restore an archive. */
function withRehearsal(command: Command): Command {
  return command.option(
    '--rehearse',
    'then restore it into a folder beside it, and examine the site that it makes',
  );
}

async function writeMarkdown(target: string): Promise<void> {
  const { posts, files, missing } = await withDeps('nothing', deps =>
    target.endsWith('.zip') ? exportMarkdownZip(deps, resolve(target)) : exportMarkdown(deps, target),
  );
  print(`Wrote ${posts} posts and ${files} files to ${target}.`);
  if (missing.length > 0) printError(`The bytes of these files were not there: ${missing.join(', ')}.`);
}

/** Records the result, so that the page Backups shows it like a scheduled backup. */
async function noteExport({ db, clock }: Deps, exported: Exported): Promise<void> {
  const { path } = exported;
  const { size } = await stat(path);
  const place = { name: basename(path), where: dirname(path), bytes: size, verifiedAt: clock() };
  await noteBackup(db, { last: backupOf(exported, place), failure: null });
}

/** Restores on trial, prints what is broken, and records the result for the page System. */
async function noteRehearsal({ kinds }: Manifest, run: () => Promise<Finding[]>): Promise<void> {
  const began = performance.now();
  const note = async (broken: number | null) => {
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const rehearsal = { at: moment(Date.now()), posts: kinds.posts?.rows ?? 0, broken, seconds };
    await withDeps('nothing', ({ db }) => noteBackup(db, { rehearsal }));
  };
  const findings = await run().catch(async error => {
    await note(null);
    throw error;
  });
  report(findings);
  await note(findings.length);
}

function describe({ kinds, files }: Manifest): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const rows = (kind: string, noun: string) => count(kinds[kind]?.rows ?? 0, noun);
  return `${rows('posts', 'post')}, ${rows('comments', 'comment')}, ${rows('users', 'account')}, ${count(files.count, 'file')} (${mebibytes(files.bytes)})`;
}

export function warnOfMissing({ missing }: Manifest): void {
  if (missing.length === 0) return;
  printError(`The bytes of these files were not there, and are not in it: ${missing.join(', ')}.`);
}
