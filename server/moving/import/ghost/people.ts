import { z } from 'zod';
import { blogHash } from '../../../accounts/sign-in/blog-passwords.ts';
import type { DraftPerson } from '../draft.ts';
import { readPeopleList } from '../people-list.ts';
import { utcTime } from '../utc-time.ts';
import { betweenCommas } from '../words.ts';
import { combinationsWith, members, paidMembers } from './audience.ts';
import type { GhostSite } from './tables.ts';

/** The authors there, with their passwords. */
export function* readStaff(site: GhostSite): Generator<DraftPerson> {
  for (const [id, user] of site.users) {
    const roles = site.rolesOf.get(id) ?? [];
    const isActive = /^(?:active|warn)/.test(user.get('status') ?? 'active');
    const isAdmin = isActive && roles.some(role => role === 'Owner' || role === 'Administrator');
    yield {
      kind: 'person',
      id,
      email: user.get('email') ?? '',
      isEmailVerified: false,
      username: user.get('slug') ?? '',
      name: user.get('name') ?? '',
      passwordHash: blogHash(user.get('password') ?? ''),
      status: isActive ? 'approved' : 'denied',
      isAdmin,
      audience: [],
      createdAt: utcTime(user.get('created_at')) ?? 0,
      isSubscribed: false,
      notes: isActive ? [] : ['it was suspended there: it is denied here'],
    };
  }
}

/** A line of the export of Members. */
const Line = z.object({
  email: z.string().min(1),
  name: z.string().default(''),
  subscribed_to_emails: z.string().default(''),
  complimentary_plan: z.string().default(''),
  created_at: z.string().default(''),
  deleted_at: z.string().default(''),
  tiers: z.string().default(''),
});
type Line = z.output<typeof Line>;

const list = { line: Line, name: 'members', missing: 'Every line needs an email, under this name.' };

/**
 * The members of a site, as readers whom the author approved: Ghost signs them in by mail, so they have no
 * password yet. Throws not-found, and invalid-argument for any other file.
 */
export async function* readMembers(file: string, site: GhostSite): AsyncGenerator<DraftPerson> {
  for await (const line of readPeopleList(file, list)) {
    if (line.deleted_at === '') yield memberOf(line, site);
  }
}

function memberOf(line: Line, site: GhostSite): DraftPerson {
  const tiers = new Set(betweenCommas(line.tiers));
  const isPaid = tiers.size > 0 || isYes(line.complimentary_plan);
  return {
    kind: 'person',
    id: `member ${line.email.toLowerCase()}`,
    email: line.email,
    isEmailVerified: false,
    username: '',
    name: line.name,
    passwordHash: undefined,
    status: 'approved',
    isAdmin: false,
    audience: [members, ...(isPaid ? [paidMembers] : []), ...combinationsWith(tiers, site)],
    createdAt: utcTime(line.created_at) ?? 0,
    isSubscribed: isYes(line.subscribed_to_emails),
    notes: [],
  };
}

const isYes = (text: string) => /^(?:true|1|yes)$/i.test(text);
