import type { Kysely } from 'kysely';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { type Input, type OperationName, type Output, operations } from '../contract/operations.ts';
import { holdRights, requireRecentSignIn, requireScope } from './access/hold-rights.ts';
import { effectHandlers } from './access/operations.ts';
import { authorize } from './access/viewer.ts';
import { accountHandlers } from './accounts/account-operations.ts';
import { signInLinkHandlers } from './accounts/sign-in-link-operations.ts';
import { memberHandlers } from './accounts/sign-in-operations.ts';
import { subscriptionHandlers } from './accounts/subscription-operations.ts';
import { tokenHandlers } from './accounts/token-operations.ts';
import { userHandlers } from './accounts/user-operations.ts';
import { backupHandlers } from './archive/operations.ts';
import { commentHandlers } from './comments/operations.ts';
import type { Tables } from './db/tables.ts';
import type { Actor } from './db/transaction.ts';
import type { Handlers, Invocation } from './deps.ts';
import { historyHandlers } from './history/operations.ts';
import { invitationHandlers } from './invitations/operations.ts';
import { likeHandlers } from './likes/operations.ts';
import { keysOfInput, keysOfOutput } from './made-from.ts';
import { mailHandlers } from './mail/operations.ts';
import { openidHandlers } from './openid/operations.ts';
import { passkeyHandlers } from './passkeys/operations.ts';
import { postHandlers } from './posts/operations.ts';
import { secondFactorHandlers } from './second-factor/operations.ts';
import { settingsHandlers } from './settings/operations.ts';
import { tagHandlers } from './tags/operations.ts';
import { transferHandlers } from './transfers/operations.ts';

const handlers: Handlers<typeof operations> = {
  ...accountHandlers,
  ...backupHandlers,
  ...mailHandlers,
  ...invitationHandlers,
  ...likeHandlers,
  ...effectHandlers,
  ...historyHandlers,
  ...commentHandlers,
  ...memberHandlers,
  ...openidHandlers,
  ...passkeyHandlers,
  ...secondFactorHandlers,
  ...postHandlers,
  ...settingsHandlers,
  ...signInLinkHandlers,
  ...subscriptionHandlers,
  ...tagHandlers,
  ...tokenHandlers,
  ...transferHandlers,
  ...userHandlers,
};

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/**
 * Calls an operation: checks who may, parses what came, does it, and parses what goes out, so that a field which the
 * contract does not name never leaves. What it writes is written only while the viewer may still call it. Throws AppError;
 * anything else is a bug.
 */
export async function invoke<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  invocation: Invocation,
): Promise<Output<Name>> {
  const operation: Operation = operations[name];
  authorize(invocation.viewer, operation.for);
  requireScope(invocation.credential, operation.scope);
  const parsed = operation.input.safeParse(input, { error: nameField });
  if (!parsed.success) throw invalidArgument(parsed.error);
  // The compiler cannot follow that a name selects its own operation and handler; the type of `handlers` says so.
  invocation.madeFrom?.(...keysOfInput(name, parsed.data));
  const handler = handlers[name] as (invocation: Invocation, input: unknown) => Promise<unknown>;
  const context = {
    ...invocation,
    by: invocation.by ?? actorOf(invocation),
    requireRecentSignIn: async (trx: Kysely<Tables>) => {
      // The browser knows by the contract that it may be asked.
      if (!operation.asksAgain)
        throw new Error(`${name} asks for a sign-in, and its contract does not say so.`);
      await requireRecentSignIn(trx, invocation.credential);
    },
    holdRights: (trx: Kysely<Tables>) => holdRights(trx, invocation, operation.for),
  };
  const output = operation.output.parse(await handler(context, parsed.data)) as Output<Name>;
  invocation.madeFrom?.(...keysOfOutput(name, output));
  return output;
}

/** Who calls, as the history of rights tells it. */
function actorOf({ viewer, credential, peer }: Invocation): Actor {
  const isToken = credential?.kind === 'token';
  return {
    user: viewer.user,
    via: isToken ? 'token' : 'browser',
    viaName: isToken ? credential.name : null,
    address: peer,
  };
}

/** More fields than a form has: an answer must not grow with what was wrong. */
const maxFields = 50;

function invalidArgument(error: z.ZodError): AppError {
  const fields: Record<string, string> = {};
  for (const issue of error.issues.slice(0, maxFields)) {
    // A form shows the sentence; it has no place for a field that nobody knows.
    if (issue.code !== 'unrecognized_keys') fields[issue.path.join('.')] ??= issue.message;
  }
  return new AppError('invalid-argument', error.issues[0]?.message ?? 'Invalid input.', { fields });
}

/** Where the contract has no sentence of its own, zod's says nothing without the name of the field. */
const english = z.locales.en().localeError;
const nameField: z.core.$ZodErrorMap = issue => {
  if (issue.code === 'unrecognized_keys') {
    return `Unknown field ${[...(issue.path ?? []), issue.keys[0]?.slice(0, 50)].join('.')} here.`;
  }
  const message = english(issue);
  const text = typeof message === 'string' ? message : message?.message;
  return `${issue.path?.join('.') || 'data'}: ${text ?? 'invalid'}`;
};
