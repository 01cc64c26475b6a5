import { type Person, post, type Site } from './site.ts';

/** What an invitation's link carries. */
export const tokenOf = (link: string | null | undefined) =>
  new URL(link ?? '', 'http://nowhere').searchParams.get('token') ?? '';

/** The token of the link that is on its way to an address. */
export async function mailedToken({ deps }: Site, email: string): Promise<string> {
  const rows = await deps.db
    .selectFrom('mails')
    .select('data')
    .where('kind', '=', 'invitation')
    .where('state', '=', 'queued')
    .orderBy('created_at')
    .execute();
  const invitations = await deps.db.selectFrom('invitations').select(['id', 'email']).execute();
  const mails = rows.map(row => JSON.parse(row.data) as { token: string; invitationId: string });
  const mail = mails.findLast(({ invitationId }) =>
    invitations.some(row => row.id === invitationId && row.email === email),
  );
  return mail?.token ?? '';
}

/** A link for so many people, with these tags. */
export async function linkFor(s: Site, admin: Person, uses: number, tags: readonly string[] = []) {
  const { made } = await s.call(admin, 'createInvitations', { tags: [...tags], for: { uses } });
  return { id: made[0]?.invitation.id ?? '', token: tokenOf(made[0]?.link) };
}

export const newcomer = (username: string) => ({
  username,
  name: 'New Comer',
  email: `${username}@example.com`,
  password: 'quincey',
});

/** Joins as a browser does, and is signed in. */
export const joinAs = (s: Site, input: object, headers: Record<string, string> = {}) =>
  post(s, 'joinByInvitation', input, { headers });
