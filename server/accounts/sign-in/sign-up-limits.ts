import { signUpMinimumMs } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import type { ReadContext, RequestContext } from '../../access/context.ts';
import { isSigned, sign } from '../../base/secrets.ts';
import { countRows } from '../../db/count-rows.ts';
import type { DbContext } from '../../db/transaction.ts';
import { takeAttempt, takeAttemptFrom } from '../../limits/attempts.ts';

const hour = 60 * 60;
const ticketLifeMs = 24 * hour * 1_000;
/** The most accounts that may wait for approval: more than an admin can look through are a flood. */
const maxPending = 1_000;

/** The signed time when the form was opened: an invisible check without a third party. */
export function signUpTicket({ secret, clock }: Pick<DbContext, 'clock'> & { secret: string }): string {
  const openedAt = clock().toString(36);
  return `${openedAt}.${sign(secret, 'sign-up', openedAt)}`;
}

/**
 * Allows or refuses a sign-up. A form that was sent faster than anybody types, or with the hidden field
 * filled, is refused. Programs without a ticket have a stricter limit. Throws resource-exhausted for too many
 * from one network, over the whole site, or while too many wait, and failed-precondition if the site accepts
 * no sign-ups.
 */
export async function limitSignUp(
  deps: DbContext & Pick<ReadContext, 'settings'> & Pick<RequestContext, 'network'> & { secret: string },
  { ticket, website }: { ticket?: string | undefined; website?: string | undefined },
): Promise<void> {
  await requireOpenSignUp(deps);
  if (website !== undefined && website !== '') throw refused();
  if (ticket !== undefined) checkTicket(deps, ticket);
  if (deps.network !== null) {
    const points = ticket === undefined ? 5 : 20;
    await takeAttemptFrom(deps, deps.network, { name: 'sign-up from', points, seconds: hour });
  }
  await takeAttempt(deps, { name: 'sign-up', points: 200, seconds: hour });
  const waiting = await countRows(deps.db.selectFrom('users').where('status', '=', 'pending'));
  if (waiting >= maxPending) {
    throw new AppError(
      'resource-exhausted',
      'Too many accounts are waiting for approval. Please try again later.',
    );
  }
}

async function requireOpenSignUp({ settings }: Pick<ReadContext, 'settings'>): Promise<void> {
  const { signUp } = await settings();
  if (signUp === 'everybody') return;
  throw new AppError(
    'failed-precondition',
    signUp === 'invited' ? 'Accounts on this site are by invitation.' : 'This site takes no new accounts.',
  );
}

/** Throws failed-precondition if the site accepts no new accounts, not even by invitation. */
export async function requireNewAccounts({ settings }: Pick<ReadContext, 'settings'>): Promise<void> {
  if ((await settings()).signUp === 'nobody') {
    throw new AppError('failed-precondition', 'This site takes no new accounts at present.');
  }
}

function checkTicket({ secret, clock }: Pick<DbContext, 'clock'> & { secret: string }, ticket: string): void {
  const [openedAt = '', signature = ''] = ticket.split('.');
  const isOurs = isSigned(secret, 'sign-up', openedAt, signature);
  const age = clock() - Number.parseInt(openedAt, 36);
  if (!isOurs || !(age < ticketLifeMs)) {
    throw new AppError('failed-precondition', 'This form has expired. Please reload the page and try again.');
  }
  if (age < signUpMinimumMs) throw refused();
}

function refused(): AppError {
  return new AppError('failed-precondition', 'Please wait a moment and try again.');
}
