/**
 * The 74 cases of the security plan: where each is tested, or why it needs no test. `by` names the test file
 * that proves it, in a test whose title begins with its number; `also` those that prove more of it, on other
 * surfaces.
 */
export type Case = { by?: string; also?: readonly string[]; reason?: string };

const integration = (name: string) => `test/integration/${name}.test.ts`;
const here = (group: string) => `test/security/${group}.test.ts`;
const canary = integration('canary');
const accounts = integration('accounts');
const mail = integration('mail');
const comments = integration('comments');
const live = integration('live');
const hostile = 'server/markdown/hostile.test.ts';

export const cases: Readonly<Record<number, Case>> = {
  1: {
    by: canary,
    also: [integration('canary-files'), integration('access'), integration('feed'), here('invitations')],
  },
  2: { by: here('rights'), also: [canary] },
  3: { by: here('disclosure') },
  4: { by: here('rights'), also: [integration('access')] },
  5: { by: here('rights'), also: [comments, integration('posts')] },
  6: { by: canary, also: [integration('canary-files'), mail] },
  7: { by: here('rights'), also: [live, integration('canary-files'), integration('activity')] },
  8: { by: here('files') },
  9: { by: here('caches'), also: [canary] },
  10: { by: here('caches'), also: [here('disclosure')] },
  11: { by: here('disclosure') },
  12: { by: mail },
  13: { by: here('callers'), also: [canary] },
  14: { by: here('addresses'), also: [canary] },
  15: { by: here('callers'), also: [accounts, integration('decisions')] },
  16: { by: here('input'), also: [integration('post-files')] },
  17: { by: here('callers'), also: [comments] },
  18: { by: comments },
  19: { by: here('callers'), also: [here('ended-sessions'), integration('activity')] },
  20: { by: here('addresses') },
  21: { by: here('accounts'), also: [integration('decisions')] },
  22: { by: here('input') },
  23: { by: here('input'), also: [integration('tags')] },
  24: { by: here('input'), also: ['server/surfaces/callable/values.test.ts'] },
  25: { by: here('input'), also: [integration('post-lists')] },
  26: { by: here('rights'), also: [accounts, integration('tags')] },
  27: { by: accounts },
  28: { by: hostile, also: ['web/comments/linked-text.test.tsx', here('injection')] },
  29: { by: here('injection') },
  30: { by: here('files') },
  31: { by: here('files') },
  32: {
    reason:
      'Comments are plain text (decision 12): no picture in them is ever loaded. In posts and the About text, which admins write, pictures of other sites are allowed over https; they learn nothing of the page that shows them (referrer-policy, case 33).',
  },
  33: { by: here('headers') },
  34: {
    by: here('cross-site'),
    also: [here('sessions'), 'test/conformance/functions.test.ts'],
  },
  35: { by: here('headers'), also: [here('cross-site')] },
  36: { by: 'contract/next-path.test.ts' },
  37: { by: here('ended-sessions'), also: [here('sessions')] },
  38: {
    by: here('ended-sessions'),
    also: [here('tokens'), here('sessions'), here('email-links'), here('sign-in-links'), live],
  },
  39: { by: here('ended-sessions'), also: [accounts] },
  40: {
    by: here('accounts'),
    also: [
      here('session-floods'),
      here('sign-in-link-requests'),
      integration('limits'),
      'server/base/networks.test.ts',
    ],
  },
  41: { by: here('accounts'), also: [here('sign-in-link-requests'), accounts, integration('account-mail')] },
  42: {
    by: here('accounts'),
    also: [here('email-links'), here('sign-in-links'), here('invitations'), integration('account-mail')],
  },
  43: { by: here('accounts') },
  44: { by: here('accounts'), also: [integration('limits'), integration('account-mail')] },
  45: { by: accounts },
  46: { by: here('files') },
  47: { by: here('uploads') },
  48: { by: here('uploads'), also: [integration('hostile-files')] },
  49: { by: here('uploads') },
  50: { by: here('uploads') },
  51: { by: here('uploads') },
  52: { by: here('files') },
  53: { by: here('files') },
  54: { by: here('mails') },
  55: { by: integration('mail-delivery') },
  56: { by: mail },
  57: { by: 'server/moving/import/media/fetch.test.ts', also: [here('passkey-attestation')] },
  58: { by: here('mails'), also: [here('addresses')] },
  59: { by: 'server/markdown/render-text.test.ts' },
  60: { by: here('concurrency'), also: [here('invitations')] },
  61: { by: comments },
  62: { by: integration('decisions'), also: [integration('posts'), integration('import-rights')] },
  63: { by: integration('tags'), also: [integration('saving')] },
  64: { by: 'test/faults/rounds.ts', also: ['test/faults/uploads.ts'] },
  65: { by: 'test/faults/outages.ts' },
  66: { by: 'test/faults/outages.ts', also: [integration('changes')] },
  67: { by: integration('archive'), also: [integration('upgrades')] },
  68: { by: here('sockets') },
  69: { by: integration('live-limits') },
  70: { by: here('accounts'), also: [live] },
  71: { by: comments, also: [integration('saving'), integration('mail-delivery')] },
  72: { by: canary, also: ['test/conformance/functions.test.ts'] },
  73: { by: here('sockets'), also: [integration('live-limits')] },
  74: {
    reason:
      'A test has no network. Installing runs no scripts (`npm ci --ignore-scripts`), the lock file pins every package by its digest, and `npm audit --omit=dev` belongs to the release (docs/security.md).',
  },
};

const openid = integration('openid');
const openidFlow = integration('openid-flow');
const links = here('sign-in-links');
const attacks = here('sign-in-attacks');

/** The attacks on signing up and in, beyond the plan, each with the tests that try it: file and title. */
export const signInAttacks: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'a link that is used again': [
    [links, '42. a link that signs in works once, with the press of a button and not by being opened'],
    [
      here('email-links'),
      '42. links that confirm an address work only once, also when used at the same time',
    ],
  ],
  'a link that leaks': [
    [links, '42. links that sign in expire after a quarter of an hour, and when another one is used'],
    [links, '38. links that sign in end with what ends sessions: %s'],
  ],
  'a link for another account or purpose than its own': [
    [links, '42. a link signs in or confirms an address, whichever it was made for'],
    [
      links,
      '37, 42. links that sign in name the account before they sign in to another one than before, and end the earlier session',
    ],
  ],
  'several who use an invitation for the last time': [
    [here('invitations'), '60. an invitation lets as many join as it says, however many try at once'],
    [
      here('invitations'),
      '62. nobody joins after a revocation was acknowledged, and a race has one of the two results',
    ],
  ],
  'an account that waits with the address of somebody else': [
    [
      here('unconfirmed-accounts'),
      '42. an account whose address nobody has confirmed belongs to the owner of the mailbox once they sign in with a link, and no longer to a squatter',
    ],
    [
      here('unconfirmed-accounts'),
      '42. an account whose address nobody has confirmed gets no second factor, by which a squatter would keep the owner of the mailbox out, except for an admin',
    ],
    [
      here('invitations'),
      '42. an invitation gives a squatter nothing: whoever proves the address replaces the pending account with it',
    ],
    [
      attacks,
      '42. a mailed reset ends the passkeys of an address that nobody had confirmed, and keeps those of one that was',
    ],
    [
      attacks,
      '42. a provider’s account with the address of somebody else opens nothing once the owner has confirmed the address',
    ],
    [openid, 'an OpenID sign-in gives nobody an account that has the address already, confirmed or not'],
  ],
  'an answer of another provider, issuer, sign-in or browser': [
    [
      openidFlow,
      'an OpenID sign-in refuses an answer with another state, nonce, verifier or issuer, for another browser, and a second time',
    ],
  ],
  'a log-in at the provider that nobody was asked for': [
    [
      integration('openid-connection'),
      'the provider confirms who is signed in by a new log-in at the provider, of the same person, in the session that asked',
    ],
    [
      openidFlow,
      'an OpenID sign-in begins a session that is as recent as the log-in at the provider, and never more',
    ],
  ],
  'a way in that skips the second factor': [
    [here('second-factor'), '42. a new password, a mailed link and the provider ask for the code, too'],
    [links, '37, 39. links that sign in confirm nothing without the code of an account with a second factor'],
    [
      here('recent-sign-in'),
      '39. a recent sign-in is required for all that opens or ends an account, and the password alone is not enough with a second factor',
    ],
  ],
  'guesses, by way of several processes too': [
    [attacks, '40. guesses of passwords, codes and links count for all processes together'],
    [
      here('second-factor'),
      '40. codes can be guessed ten times from a network, and twenty times a day from all new networks',
    ],
    [
      openidFlow,
      'an OpenID sign-in asks the provider about the answers of a network 120 times an hour, whatever its browser says was begun',
    ],
  ],
  'one code or link given to two processes at the same moment': [
    [
      attacks,
      '60. a recovery code and a link that are sent to two processes at the same moment work only once',
    ],
  ],
  'an answer, or the work for it, that tells who has an account': [
    [
      here('accounts'),
      '41. the site hashes as often, and pauses as long, for an unknown address as for a known one',
    ],
    [
      here('sign-in-link-requests'),
      '41. asking for a link that signs in is answered equally, with as many statements, whether or not there is an account',
    ],
  ],
  'a session that was there before': [
    [
      here('ended-sessions'),
      '37. the site makes a new session at every sign-in, ends the one before, and accepts none from the address',
    ],
    [
      here('second-factor'),
      '70. the old session of a browser ends with the code, and the new one has another token',
    ],
  ],
  'a sign-in that another site begins, or that leads to one': [
    [links, '34. links that sign in cannot be used by a page of another site, not with a form either'],
    [openidFlow, 'an OpenID sign-in is not begun by the page of another site'],
    [attacks, '36. every way to sign in leads to a path of this site, whatever its address asks for'],
  ],
  'a token that does more than it was made for': [
    [here('tokens'), '38. access tokens made only for %s are refused every operation of another scope'],
  ],
};
