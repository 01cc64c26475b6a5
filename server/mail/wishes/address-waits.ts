import type { UserRow } from '../../db/tables.ts';

type Account = Pick<UserRow, 'status' | 'email_verified'> & {
  /** The invitation that the account was made with; null for none. */
  invitation_id: string | null;
};

/**
 * Whether mails about posts wait until the owner of the address has confirmed it. Anybody can sign up with
 * somebody else's address: it gets none until an admin has approved the account (an invitation does not
 * count) or its owner has confirmed the address.
 */
export function addressWaits({ status, email_verified, invitation_id }: Account): boolean {
  return !email_verified && (status !== 'approved' || invitation_id !== null);
}
