/** Names that readers might take for somebody who runs the site, or for the site itself. */
const reserved = [
  'admin',
  'administrator',
  'anonymous',
  'author',
  'coterie',
  'editor',
  'everybody',
  'everyone',
  'help',
  'helpdesk',
  'hostmaster',
  'moderator',
  'noreply',
  'official',
  'owner',
  'postmaster',
  'root',
  'security',
  'staff',
  'superuser',
  'support',
  'sysadmin',
  'system',
  'unknownuser',
  'webmaster',
];

const lookAlikes: readonly (readonly [RegExp, string])[] = [
  [/[i1]/g, 'l'],
  [/0/g, 'o'],
  [/3/g, 'e'],
  [/4/g, 'a'],
  [/5/g, 's'],
  [/7/g, 't'],
  [/8/g, 'b'],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
];

/** A username as it looks at a glance: without case and separators, similar letters made equal. */
function glance(username: string): string {
  const letters = username.toLowerCase().replaceAll('_', '');
  return lookAlikes.reduce((text, [from, to]) => text.replaceAll(from, to), letters);
}

const glances = new Set(reserved.map(glance));

/**
 * Whether a username is refused at sign-up because it looks like a reserved one, also with a number after it.
 */
export function isReservedUsername(username: string): boolean {
  return glances.has(glance(username)) || glances.has(glance(username.replace(/(?<![\d_])[\d_]+$/, '')));
}
