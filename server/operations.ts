import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { type Input, type OperationName, type Output, operations } from '../contract/operations.ts';
import type { Handlers, Invocation } from './access/context.ts';
import { effectHandlers } from './access/effect-operations.ts';
import { holdRights } from './access/hold-rights.ts';
import { requireRecentSignIn } from './access/recent-sign-in.ts';
import { actorOf, authorize, type Identity, requireScope } from './access/viewer.ts';
import { accessRequestHandlers } from './access-requests/operations.ts';
import { invitationHandlers } from './accounts/invitations/operations.ts';
import { userHandlers } from './accounts/members/user-operations.ts';
import { openidHandlers } from './accounts/openid/operations.ts';
import { accountHandlers } from './accounts/operations.ts';
import { passkeyHandlers } from './accounts/passkeys/operations.ts';
import { proposalHandlers } from './accounts/proposals/operations.ts';
import { secondFactorHandlers } from './accounts/second-factor/operations.ts';
import { commentHandlers } from './comments/operations.ts';
import type { Deps, UnguardedInvocation } from './deps.ts';
import { feedHandlers } from './feeds/operations.ts';
import { historyHandlers } from './history/operations.ts';
import { likeHandlers } from './likes/operations.ts';
import { linkHandlers } from './links/operations.ts';
import { mailHandlers } from './mail/operations.ts';
import { postAddressHandlers } from './mail/post-address.ts';
import { pushHandlers } from './mail/push/operations.ts';
import { webhookHandlers } from './mail/webhooks/operations.ts';
import { wishHandlers } from './mail/wishes/operations.ts';
import { backupHandlers } from './moving/archive/operations.ts';
import { transferHandlers } from './moving/transfers/operations.ts';
import { openingHandlers } from './openings/operations.ts';
import { postHandlers } from './posts/operations.ts';
import { readingHandlers } from './reading/operations.ts';
import { retaggingHandlers } from './retagging/operations.ts';
import { searchHandlers } from './search/operations.ts';
import { settingsHandlers } from './settings/operations.ts';
import { AnswerTemplate, SharedAnswer } from './shared-answer.ts';
import { systemHandlers } from './system/operations.ts';
import { tagHandlers } from './tags/operations.ts';

const handlers: Handlers<typeof operations, Deps> = {
  ...accountHandlers,
  ...backupHandlers,
  ...accessRequestHandlers,
  ...feedHandlers,
  ...mailHandlers,
  ...postAddressHandlers,
  ...webhookHandlers,
  ...wishHandlers,
  ...invitationHandlers,
  ...proposalHandlers,
  ...likeHandlers,
  ...linkHandlers,
  ...effectHandlers,
  ...historyHandlers,
  ...commentHandlers,
  ...openidHandlers,
  ...openingHandlers,
  ...passkeyHandlers,
  ...secondFactorHandlers,
  ...postHandlers,
  ...pushHandlers,
  ...readingHandlers,
  ...searchHandlers,
  ...settingsHandlers,
  ...systemHandlers,
  ...tagHandlers,
  ...retaggingHandlers,
  ...transferHandlers,
  ...userHandlers,
};

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/**
 * Calls an operation: checks the right to call it, parses the input, runs the handler and parses the output,
 * so that only fields of the contract are sent. Each transaction checks again whether the viewer may still
 * call it. Throws AppError; any other error is a bug.
 */
export async function invoke<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  invocation: UnguardedInvocation,
): Promise<Output<Name>> {
  const answer = await answerOf(name, input, invocation);
  // The template is of this operation's output.
  return answer instanceof SharedAnswer ? (templateOf(name, answer).copyFor(answer) as Output<Name>) : answer;
}

/** Like `invoke`, for an unparsed input, with the answer as JSON. */
export async function invokeAsJson(
  name: OperationName,
  input: unknown,
  invocation: UnguardedInvocation,
): Promise<string> {
  const answer = await answerOf(name, input, invocation);
  return answer instanceof SharedAnswer ? templateOf(name, answer).fill(answer) : JSON.stringify(answer);
}

/** The answer with its fields checked; a shared one is checked when its JSON is written. */
async function answerOf<Name extends OperationName>(
  name: Name,
  input: unknown,
  invocation: UnguardedInvocation,
): Promise<Output<Name> | SharedAnswer<object>> {
  const operation: Operation = operations[name];
  authorize(invocation.viewer, operation.for);
  requireScope(invocation.credential, operation.scope);
  const parsed = operation.input.safeParse(input, { error: nameField });
  if (!parsed.success) throw invalidArgument(parsed.error);
  const { caching } = operation;
  invocation.dependsOn?.(...(caching?.dependsOn(parsed.data) ?? ['anything' as const]));
  // The compiler cannot infer that a name selects its own operation and handler; the type of `handlers`
  // guarantees it.
  const handler = handlers[name] as (invocation: Deps & Invocation, input: unknown) => Promise<unknown>;
  const context: Deps & Invocation = {
    ...invocation,
    by: invocation.by ?? actorOf(invocation),
    requireRecentSignIn: async trx => {
      // The browser knows from the contract which operations may ask for a sign-in.
      if (!operation.asksAgain)
        throw new Error(`${name} asks for a sign-in, and its contract does not say so.`);
      await requireRecentSignIn(trx, invocation, invocation.credential);
    },
    holdRights: async trx => {
      await holdRights(trx, invocation, operation.for);
      await invocation.alsoHolds?.(trx);
    },
  };
  const answer = await handler(context, parsed.data);
  const isShared = answer instanceof SharedAnswer;
  const output = isShared ? answer.shared : operation.output.parse(answer);
  invocation.dependsOn?.(...(caching?.answerDependsOn?.(output) ?? []));
  return isShared ? answer : (output as Output<Name>);
}

/** The templates of shared answers, for as long as these are cached. */
const templates = new WeakMap<object, AnswerTemplate<unknown>>();

function templateOf(name: OperationName, { shared }: SharedAnswer<object>): AnswerTemplate<unknown> {
  const { output, caching }: Operation = operations[name];
  const template =
    templates.get(shared) ?? new AnswerTemplate(output.parse(shared), caching?.ownFields ?? new Set());
  templates.set(shared, template);
  return template;
}

/**
 * The most fields that an error names: more than any form has, so that the answer does not grow with the
 * input.
 */
const maxFields = 50;

function invalidArgument(error: z.ZodError): AppError {
  const fields: Record<string, string> = {};
  for (const issue of error.issues.slice(0, maxFields)) {
    // Fields are for forms, which have no place for an unknown field; the message names it.
    if (issue.code !== 'unrecognized_keys') fields[issue.path.join('.')] ??= issue.message;
  }
  return new AppError('invalid-argument', error.issues[0]?.message ?? 'Invalid input.', { fields });
}

/** Adds the name of the field to zod's own sentences, which are used if the contract has none. */
const english = z.locales.en().localeError;
const nameField: z.core.$ZodErrorMap = issue => {
  if (issue.code === 'unrecognized_keys') {
    return `Unknown field ${[...(issue.path ?? []), issue.keys[0]?.slice(0, 50)].join('.')} here.`;
  }
  const message = english(issue);
  const text = typeof message === 'string' ? message : message?.message;
  return `${issue.path?.join('.') || 'data'}: ${text ?? 'invalid'}`;
};

/** A call from inside this process, without limits. The answer sets no cookies. */
export function internalInvocation(
  deps: Deps,
  who: Identity,
  {
    requestHeaders = new Headers(),
    dependsOn,
  }: Partial<Pick<UnguardedInvocation, 'requestHeaders' | 'dependsOn'>> = {},
): UnguardedInvocation {
  return { ...deps, ...who, requestHeaders, replyHeaders: new Headers(), network: null, dependsOn };
}
