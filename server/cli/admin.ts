import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { NewAccount } from '../../contract/accounts/sign-in.ts';
import { AppError } from '../../contract/errors.ts';
import { currentVisitor } from '../access/viewer.ts';
import { makeAdmin } from '../accounts/members/roles.ts';
import { signUp } from '../accounts/sign-in/sign-in.ts';
import { internalInvocation } from '../operations.ts';
import { print } from './print.ts';
import { withDeps } from './with-deps.ts';

type CreateOptions = { email: string; username: string; name: string };

/** `coterie admin create`: an admin without a browser (decision 25). */
export function adminCommand(): Command {
  const command = new Command('admin').description('manage admins');
  command
    .command('create')
    .description('create an admin; the password is read from standard input')
    .requiredOption('--email <address>', 'email address')
    .requiredOption('--username <name>', 'username')
    .requiredOption('--name <name>', 'full name')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async ({ email, username, name }: CreateOptions) => {
      const password = (await text(process.stdin)).replace(/\r?\n$/, '');
      const account = NewAccount.safeParse({ email, username, name, password });
      if (!account.success) {
        throw new AppError('invalid-argument', account.error.issues.map(issue => issue.message).join('\n'));
      }
      await withDeps('make', async deps => {
        const id = await signUp(internalInvocation(deps, await currentVisitor(deps)), account.data);
        await makeAdmin(deps, id);
        // The sign-up began a session, which nobody needs.
        await deps.db.deleteFrom('sessions').where('user_id', '=', id).execute();
      });
      print(`${username} is an admin now.`);
    });
  return command;
}
