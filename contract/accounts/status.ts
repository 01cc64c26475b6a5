export const userStatuses = ['pending', 'approved', 'denied'] as const;
export type UserStatus = (typeof userStatuses)[number];

/** The status of an account, and the same in the fields of the specification (section 3, "User"). */
export function describeStatus(status: UserStatus) {
  return { status, isApproved: status === 'approved', pendingApproval: status === 'pending' };
}
