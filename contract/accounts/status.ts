export type UserStatus = 'pending' | 'approved' | 'denied';

/** The status of an account, and the same as the specification has it (section 3, "User"). */
export function describeStatus(status: UserStatus) {
  return { status, isApproved: status === 'approved', pendingApproval: status === 'pending' };
}
