import { AppError } from '../../../contract/errors.ts';
import type { invitationOperations } from '../../../contract/invitations.ts';
import { tagRefs } from '../../access/audience.ts';
import type { Handlers, Invocation } from '../../access/context.ts';
import { shownEmail } from '../../access/shown-email.ts';
import { accountOf, describeUser } from '../../access/viewer.ts';
import { digestOf } from '../../base/secrets.ts';
import { type AccountContext, ownId } from '../context.ts';
import { sendConfirmation } from '../sign-in/email.ts';
import { limitTries } from '../sign-in/sign-in-limits.ts';
import { signInWithoutPassword } from '../sign-in/sign-in-without-password.ts';
import { acceptInvitation, offerOf } from './accept.ts';
import { join } from './join.ts';
import {
  describeMade,
  getInvitations,
  isUsedUp,
  listInvitations,
  openInvitation,
  suggestNames,
} from './read.ts';
import { createGroupInvitation, inviteEach, revokeInvitation, setInvitationTags } from './write.ts';

async function describeOne(deps: Invocation, id: string) {
  const [invitation] = await getInvitations(deps, [id]);
  if (invitation === undefined) throw new AppError('not-found', 'There is no such invitation.');
  return { invitation };
}

export const invitationHandlers: Handlers<typeof invitationOperations, AccountContext> = {
  createInvitations: async (deps, { tags, tagIds: seenIds, expiresInDays, for: whom }) => {
    const tagIds = (await deps.catalogue()).tagIdsOf(tagRefs(tags, seenIds));
    const terms = { creatorId: accountOf(deps.viewer).id, tagIds, expiresInDays };
    const made =
      'uses' in whom
        ? { made: [await createGroupInvitation(deps, terms, whom)], known: [] }
        : await inviteEach(deps, terms, whom);
    return await describeMade(deps, made);
  },
  listInvitations: async (deps, { after }) => await listInvitations(deps, after),
  setInvitationTags: async (deps, { invitationId, tags, tagIds, version }) => {
    await setInvitationTags(
      deps,
      invitationId,
      (await deps.catalogue()).tagIdsOf(tagRefs(tags, tagIds)),
      version,
    );
    return await describeOne(deps, invitationId);
  },
  revokeInvitation: async (deps, { invitationId }) => {
    await revokeInvitation(deps, invitationId);
    return await describeOne(deps, invitationId);
  },
  getInvitation: async (deps, { token }) => {
    const digest = digestOf(token);
    const found = await openInvitation(deps, digest);
    if (found === undefined) return { invitation: null, isUsed: await isUsedUp(deps.db, digest) };
    const { email, isProven, inviter } = found;
    const names = await suggestNames(deps.db, found);
    const use = await offerOf(deps, found);
    return {
      invitation: { inviter, email: email && shownEmail(email), isProven, use, ...names },
      isUsed: false,
    };
  },
  acceptInvitation: async (deps, { token }) => {
    await limitTries(deps, 'invitation', 50);
    await acceptInvitation(deps, token);
    return await describeUser(deps, ownId(deps));
  },
  joinByInvitation: async (deps, { token, ...newcomer }) => {
    await limitTries(deps, 'invitation', 50);
    const userId = await join(deps, token, newcomer);
    // The invitation proved who joins, and is used up.
    await signInWithoutPassword(deps, userId, { holds: async () => true, isExpected: true });
    const described = await describeUser(deps, userId);
    if (described.user?.isEmailConfirmed === false) await sendConfirmation(deps, userId);
    return described;
  },
};
