import { Command } from 'commander';
import { AppError } from '../../contract/errors.ts';
import { findUserId, listUsers } from '../accounts/read.ts';
import type { Deps } from '../deps.ts';
import { type ImportedFile, importFolder } from '../posts/import.ts';
import { withDeps } from './with-deps.ts';

type ImportOptions = { author?: string; dryRun?: boolean };

/** Lines of notes that are shown; the skipped files are all named. */
const maxNotes = 20;

/** `coterie import <folder>`: a folder of Markdown files becomes posts. */
export function importCommand(): Command {
  return new Command('import')
    .description('import a folder of Markdown files as posts; run it again to take up changes')
    .argument('<folder>', 'where the .md, .mdx and .markdown files are, at any depth')
    .option('--author <user>', 'username or e-mail address of the author (default: the first admin)')
    .option('--dry-run', 'only say what would happen')
    .action(async (folder: string, { author, dryRun }: ImportOptions) => {
      const files: ImportedFile[] = [];
      await withDeps(dryRun === true ? 'nothing' : 'make', async deps => {
        const options = { folder, authorId: await authorOf(deps, author), isDryRun: dryRun === true };
        for await (const file of importFolder(deps, options)) files.push(file);
      });
      report(files, dryRun === true);
      if (files.every(file => file.outcome === 'skipped')) process.exitCode = 1;
    });
}

async function authorOf({ db }: Deps, usernameOrEmail: string | undefined): Promise<string | null> {
  if (usernameOrEmail !== undefined) {
    const id = await findUserId(db, usernameOrEmail);
    if (id === undefined) throw new AppError('not-found', `There is no user ${usernameOrEmail}.`);
    return id;
  }
  const admins = (await listUsers(db, 'approved')).filter(user => user.isAdmin);
  return admins.sort((a, b) => a.createdAt - b.createdAt)[0]?.id ?? null;
}

function report(files: readonly ImportedFile[], isDryRun: boolean): void {
  const count = (outcome: ImportedFile['outcome']) => files.filter(file => file.outcome === outcome).length;
  const notes = files.flatMap(({ source, notes }) => notes.map(note => `  ${source}: ${note}`));
  const untaken = files.filter(file => file.reason !== undefined);
  const counts = [
    `${count('created')} created`,
    `${count('updated')} updated`,
    `${count('unchanged')} unchanged`,
    `${untaken.length} skipped`,
  ];
  console.log(
    files.length === 0
      ? 'There are no Markdown files in this folder.'
      : `${isDryRun ? 'Would be: ' : ''}${counts.join(', ')}.`,
  );
  if (untaken.length > 0) {
    console.log(['Skipped:', ...untaken.map(({ source, reason }) => `  ${source}: ${reason}`)].join('\n'));
  }
  if (notes.length > 0) console.log(['Notes:', ...notes.slice(0, maxNotes)].join('\n'));
  if (notes.length > maxNotes) console.log(`  and ${notes.length - maxNotes} more.`);
}
