import type { DraftPerson } from '../draft.ts';
import type { SignIn } from './auth-export.ts';
import { fieldOf, listField, stringsIn, textField, timeField } from './fields.ts';
import type { Project } from './folder.ts';

/** Everybody with a record in `users` or a sign-in, by id. */
export function* readPeople({ documents, signIns }: Project): Generator<DraftPerson> {
  const met = new Set<string>();
  for (const { id, fields } of documents.in('users')) {
    met.add(id);
    const isSubscribed = documents.at('subscriptions', id) !== undefined;
    yield personOf(id, fields, signIns && (signIns.get(id) ?? null), isSubscribed);
  }
  // Without a record nobody was approved: the original treated such a person only as signed in.
  for (const signIn of signIns?.values() ?? []) {
    if (!met.has(signIn.localId)) yield personOf(signIn.localId, {}, signIn, false);
  }
}

/** `signIn` is null for somebody without one, and undefined if sign-ins are not known. */
function personOf(
  id: string,
  fields: Record<string, unknown>,
  signIn: SignIn | null | undefined,
  isSubscribed: boolean,
): DraftPerson {
  const notes: string[] = [];
  const isShutOut = signIn === null || signIn?.disabled === true;
  if (signIn?.mfaInfo.length) notes.push('its second factor does not come along');
  if (signIn === null) notes.push('nobody could sign in to it there any more: it is denied here');
  if (signIn?.disabled) notes.push('it was disabled there: it is denied here');
  const status = statusOf(fields);
  return {
    kind: 'person',
    id,
    keepId: id,
    email: signIn?.email ?? textField(fields, 'email') ?? '',
    isEmailVerified: signIn?.emailVerified ?? false,
    username: textField(fields, 'username') ?? signIn?.displayName ?? '',
    name: textField(fields, 'name', 'fullName') ?? signIn?.displayName ?? '',
    passwordHash: signIn?.passwordHash,
    status: isShutOut ? 'denied' : status,
    isAdmin: !isShutOut && fieldOf(fields, 'isAdmin') === true,
    audience: stringsIn(listField(fields, 'approvedTags')),
    createdAt: timeField(fields, 'createdAt') ?? signIn?.createdAt ?? 0,
    decidedAt: timeField(fields, status === 'denied' ? 'deniedAt' : 'approvedAt'),
    isSubscribed: isSubscribed && !isShutOut,
    notes,
  };
}

/** Only `isApproved: true` approves; else `pendingApproval: false` means denied, and everybody else waits. */
function statusOf(fields: Record<string, unknown>): DraftPerson['status'] {
  if (fieldOf(fields, 'isApproved') === true) return 'approved';
  const isPending = fieldOf(fields, 'pendingApproval');
  return isPending === false ? 'denied' : 'pending';
}
