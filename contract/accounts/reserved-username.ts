/** Names that readers take for those of the people who run the site, or for the site itself. */
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

/** A username as an eye that passes over it reads it: without case and separators, look-alikes as one letter. */
function glance(username: string): string {
  const letters = username.toLowerCase().replaceAll('_', '');
  return lookAlikes.reduce((text, [from, to]) => text.replaceAll(from, to), letters);
}

const glances = new Set(reserved.map(glance));

/** Whether nobody may choose this username at a sign-up: it reads like a reserved one, also with a number behind it. */
export function isReservedUsername(username: string): boolean {
  return glances.has(glance(username)) || glances.has(glance(username.replace(/[\d_]+$/, '')));
}
