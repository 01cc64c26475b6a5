import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { NewAccount } from '../../contract/accounts/sign-in.ts';
import { type UserStatus, userStatuses } from '../../contract/accounts/status.ts';
import type { ManagedUser } from '../../contract/accounts/users.ts';
import { AppError } from '../../contract/errors.ts';
import { approveUser, denyUser } from '../accounts/members/decide.ts';
import { getManagedUser, listUsers } from '../accounts/members/list.ts';
import { findUserId } from '../accounts/members/read.ts';
import { setAuthor } from '../accounts/members/roles.ts';
import { turnOffFactor } from '../accounts/second-factor/write.ts';
import { resetLink, resetPassword } from '../accounts/sign-in/password-reset.ts';
import type { DbContext } from '../db/transaction.ts';
import { print } from './print.ts';
import { withDeps } from './with-deps.ts';

/**
 * `coterie user list|approve|deny|author|reset-password|turn-off-second-factor`. A user is named by username
 * or email address.
 */
export function userCommand(): Command {
  const command = new Command('user').description('list, approve and deny users');
  command
    .command('list')
    .description('list users')
    .addOption(new Option('--status <status>', 'only these').choices(userStatuses))
    .action(async ({ status }: { status?: UserStatus }) => {
      const users = await withDeps('nothing', deps => listUsers(deps, status));
      for (const user of users) print(lineOf(user));
    });
  command
    .command('approve <user>')
    .description('approve a user (also a denied one)')
    .action(async (user: string) => {
      const { email, isEmailConfirmed } = await withDeps('nothing', async deps => {
        const id = await requireUser(deps, user);
        await approveUser(deps, id);
        return await getManagedUser(deps, id);
      });
      const remark = isEmailConfirmed ? '' : ` Nobody has confirmed the address ${email}.`;
      print(`${user} is approved.${remark}`);
    });
  command
    .command('deny <user>')
    .description('deny a user; they can read what visitors can read')
    .action(async (user: string) => {
      await withDeps('nothing', async deps => denyUser(deps, await requireUser(deps, user)));
      print(`${user} is denied.`);
    });
  command
    .command('author <user>')
    .description('let a member write posts of their own')
    .option('--remove', 'make an author a member again')
    .action(async (user: string, { remove = false }: { remove?: boolean }) => {
      await withDeps('nothing', async deps => setAuthor(deps, await requireUser(deps, user), !remove));
      print(remove ? `${user} is no longer an author.` : `${user} is an author now.`);
    });
  command
    .command('reset-password <user>')
    .description('print a one-time link that sets a new password, or read one from standard input')
    .option('--password-stdin', 'read the new password from standard input')
    .action(resetPasswordOf);
  command
    .command('turn-off-second-factor <user>')
    .description('ask a user who has lost app and recovery codes for no code any more')
    .action(async (user: string) => {
      const wasOn = await withDeps('nothing', async deps =>
        turnOffFactor(deps, await requireUser(deps, user)),
      );
      print(wasOn ? `${user} logs in without a code now.` : `${user} has no second factor.`);
    });
  return command;
}

async function resetPasswordOf(user: string, { passwordStdin }: { passwordStdin?: boolean }): Promise<void> {
  await withDeps('nothing', async deps => {
    const link = await resetLink(deps, await requireUser(deps, user));
    if (passwordStdin !== true) {
      print(`This link works once, for an hour:\n\n  ${link}`);
      return;
    }
    await resetPassword(deps, new URL(link).searchParams.get('token') ?? '', await passwordFromInput());
    print(`The password of ${user} was changed; all sessions have been signed out.`);
  });
}

/** A user on one line, with tabs between the columns. */
function lineOf(user: ManagedUser): string {
  const role = user.isAdmin ? 'admin' : user.isAuthor ? 'author' : user.status;
  const remarks = [
    ...(user.isEmailConfirmed ? [] : ['address not confirmed']),
    ...(user.deniedBeforeAt === null ? [] : [`address denied ${dateOf(user.deniedBeforeAt)}`]),
  ];
  const introduction = user.introduction === null ? [] : [`“${user.introduction}”`];
  const since = dateOf(user.createdAt);
  return [user.username, role, since, user.email, user.name, remarks.join(', '), ...introduction].join('\t');
}

const dateOf = (moment: string) => moment.slice(0, 10);

/** The password on standard input. Throws invalid-argument if it is too short or too long. */
async function passwordFromInput(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const checked = NewAccount.shape.password.safeParse(password);
  if (!checked.success) throw new AppError('invalid-argument', checked.error.issues[0]?.message ?? '');
  return password;
}

/** The id of a user. Throws not-found. */
export async function requireUser({ db }: Pick<DbContext, 'db'>, usernameOrEmail: string): Promise<string> {
  const id = await findUserId(db, usernameOrEmail);
  if (id === undefined) throw new AppError('not-found', `There is no user ${usernameOrEmail}.`);
  return id;
}
