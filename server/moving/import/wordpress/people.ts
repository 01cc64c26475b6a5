import { z } from 'zod';
import { blogHash } from '../../../accounts/sign-in/blog-passwords.ts';
import type { DraftPerson } from '../draft.ts';
import { readPeopleList } from '../people-list.ts';
import { utcTime } from '../utc-time.ts';
import { betweenCommas } from '../words.ts';

/** A line of `wp user list --format=csv`. */
const Line = z.object({
  ID: z.string().regex(/^\d+$/),
  user_login: z.string().min(1),
  user_email: z.string().default(''),
  user_pass: z.string().default(''),
  display_name: z.string().default(''),
  roles: z.string().default(''),
  user_registered: z.string().default(''),
});
type Line = z.output<typeof Line>;

const list = {
  line: Line,
  name: 'users',
  missing: 'Every line needs an ID and a user_login, under these names.',
};

/** The accounts of a site with their hashes. Throws not-found, and invalid-argument for any other file. */
export async function* readUsers(file: string): AsyncGenerator<DraftPerson> {
  for await (const line of readPeopleList(file, list)) yield personOf(line);
}

function personOf(line: Line): DraftPerson {
  const roles = betweenCommas(line.roles);
  const passwordHash = blogHash(line.user_pass);
  const notes =
    line.user_pass !== '' && passwordHash === undefined
      ? ['its password is hashed in a way that is not known here']
      : [];
  return {
    kind: 'person',
    id: line.ID,
    email: line.user_email,
    // The export does not prove that the person reads the mailbox.
    isEmailVerified: false,
    username: line.user_login,
    name: line.display_name,
    passwordHash,
    // Without roles the list does not say whom the site approved.
    status: roles.length === 0 ? 'pending' : 'approved',
    isAdmin: roles.includes('administrator'),
    // Editors and higher roles saw private posts.
    audience: roles.includes('editor') ? ['private'] : [],
    createdAt: utcTime(line.user_registered) ?? 0,
    isSubscribed: false,
    notes,
  };
}
