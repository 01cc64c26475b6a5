/**
 * The 74 cases of the security plan: where each is tested, or why it needs no test. `by` names the test file that proves
 * it, in a test whose title begins with its number; `also` those that prove more of it, on other surfaces.
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
  9: { by: here('headers'), also: [canary] },
  10: { by: here('headers'), also: [here('disclosure')] },
  11: { by: here('disclosure') },
  12: { by: mail },
  13: { by: here('rights'), also: [canary] },
  14: { by: here('addresses'), also: [canary] },
  15: { by: here('rights'), also: [accounts, integration('users')] },
  16: { by: here('input'), also: [integration('post-files')] },
  17: { by: here('rights'), also: [comments] },
  18: { by: comments },
  19: { by: here('rights'), also: [here('accounts'), integration('activity')] },
  20: { by: here('addresses') },
  21: { by: here('accounts'), also: [integration('users')] },
  22: { by: here('input') },
  23: { by: here('input'), also: [integration('tags')] },
  24: { by: here('input'), also: ['server/surfaces/callable/values.test.ts'] },
  25: { by: here('input'), also: [integration('posts')] },
  26: { by: here('rights'), also: [accounts, integration('tags')] },
  27: { by: accounts },
  28: { by: hostile, also: ['web/comments/linked-text.test.tsx', here('injection')] },
  29: { by: here('injection') },
  30: { by: here('files') },
  31: { by: here('files') },
  32: {
    reason:
      'Comments are plain text (decisions.md 12): no picture in them is ever loaded. In posts and the About text, which admins write, pictures of other sites are allowed over https; they learn nothing of the page that shows them (referrer-policy, case 33).',
  },
  33: { by: here('headers') },
  34: {
    by: here('cross-site'),
    also: [here('sessions'), integration('limits'), 'test/conformance/functions.test.ts'],
  },
  35: { by: here('headers'), also: [here('cross-site')] },
  36: { by: here('addresses') },
  37: { by: here('accounts'), also: [here('sessions')] },
  38: {
    by: here('accounts'),
    also: [here('tokens'), here('sessions'), here('email-links'), here('sign-in-links'), live],
  },
  39: { by: here('accounts'), also: [accounts] },
  40: {
    by: here('accounts'),
    also: [here('sessions'), here('sign-in-links'), integration('limits'), 'server/http/peer.test.ts'],
  },
  41: { by: here('accounts'), also: [here('sign-in-links'), accounts, integration('account-mail')] },
  42: {
    by: here('accounts'),
    also: [here('email-links'), here('sign-in-links'), here('invitations'), integration('account-mail')],
  },
  43: { by: here('accounts') },
  44: { by: here('accounts'), also: [integration('limits'), integration('account-mail')] },
  45: { by: accounts },
  46: { by: here('files') },
  47: { by: here('uploads') },
  48: { by: here('uploads') },
  49: { by: here('uploads') },
  50: { by: here('uploads') },
  51: { by: here('uploads') },
  52: { by: here('files') },
  53: { by: here('files') },
  54: { by: here('mails') },
  55: { by: mail },
  56: { by: mail },
  57: { by: 'server/import/media/fetch.test.ts' },
  58: { by: here('mails'), also: [here('addresses')] },
  59: { by: 'server/markdown/render-text.test.ts' },
  60: { by: here('concurrency'), also: [here('invitations')] },
  61: { by: comments },
  62: { by: integration('users'), also: [integration('posts')] },
  63: { by: integration('tags'), also: [integration('saving')] },
  64: { by: 'test/faults/rounds.ts', also: ['test/faults/uploads.ts'] },
  65: { by: 'test/faults/outages.ts' },
  66: { by: 'test/faults/outages.ts', also: [integration('changes')] },
  67: { by: integration('archive'), also: [integration('database')] },
  68: { by: here('sockets') },
  69: { by: live },
  70: { by: here('accounts'), also: [live] },
  71: { by: comments, also: [integration('saving'), mail] },
  72: { by: canary, also: ['test/conformance/functions.test.ts'] },
  73: { by: here('sockets'), also: [live] },
  74: {
    reason:
      'A test has no network. Installing runs no scripts (`npm ci --ignore-scripts`), the lock file pins every package by its digest, and `npm audit --omit=dev` belongs to the release (docs/security.md).',
  },
};
