/**
 * The 74 cases of the security plan: where each is tested, or why it needs no test here. `by` names the test file;
 * `waits` the part of the product that the rest of the case needs.
 */
export type Case = { by?: string; reason?: string; waits?: string };

const canary = 'test/integration/canary.test.ts';
const accounts = 'test/integration/accounts.test.ts';
const mail = 'test/integration/mail.test.ts';
const limits = 'test/integration/limits.test.ts';
const backup = 'test/integration/backup.test.ts';
const faults = 'test/faults/rounds.ts';
const posts = 'test/integration/posts.test.ts';
const access = 'test/integration/access.test.ts';
const here = (group: string) => `test/security/${group}.test.ts`;

export const cases: Readonly<Record<number, Case>> = {
  1: { by: canary },
  2: { by: canary },
  3: { by: here('requests') },
  4: { by: access, waits: 'reading: counts on tag pages' },
  5: { by: posts, waits: 'comments: comments and their lists' },
  6: { by: canary, waits: 'files: addresses of attachments of drafts' },
  7: { by: access, waits: 'comments and files: open streams and file addresses' },
  8: { by: here('files') },
  9: { by: canary },
  10: { by: here('requests') },
  11: { by: here('requests') },
  12: { by: mail },
  13: { by: canary, waits: 'comments: authors' },
  14: { by: here('requests') },
  15: { by: accounts },
  16: { by: here('requests') },
  17: { waits: 'comments: writing comments' },
  18: { waits: 'comments: deleting comments' },
  19: { by: here('accounts'), waits: 'reading: subscription and activity take no id at all' },
  20: { reason: 'An operation has one body and no path parameters, so no request can name two ids.' },
  21: { by: here('accounts') },
  22: { by: here('requests') },
  23: { by: here('requests') },
  24: { by: here('requests') },
  25: { by: here('requests') },
  26: { by: accounts },
  27: { by: accounts },
  28: { by: 'server/markdown/hostile.test.ts' },
  29: { by: here('requests') },
  30: { by: here('files') },
  31: { by: here('files') },
  32: { reason: 'Comments are plain text (decisions.md 12): no picture in them is ever loaded.' },
  33: { by: here('requests') },
  34: { by: limits },
  35: { by: here('requests') },
  36: { by: here('requests') },
  37: { by: here('accounts') },
  38: { by: here('accounts'), waits: 'comments and files: streams and upload sessions' },
  39: { by: accounts },
  40: { by: limits },
  41: { by: accounts },
  42: { by: mail },
  43: { by: here('accounts') },
  44: { by: limits },
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
  57: {
    reason: 'The server fetches no address that anybody can name: it has no link previews and no webhooks.',
  },
  58: { by: here('mails') },
  59: { by: 'server/markdown/hostile.test.ts' },
  60: { by: here('concurrency') },
  61: { waits: 'comments: parallel comments' },
  62: { by: 'test/integration/users.test.ts' },
  63: { by: 'test/integration/tags.test.ts' },
  64: { by: faults },
  65: { by: 'test/faults/outages.ts' },
  66: { by: 'test/integration/database.test.ts' },
  67: { by: backup },
  68: { by: here('sockets') },
  69: { waits: 'comments: live streams' },
  70: { by: here('accounts') },
  71: { reason: 'Likes name what they want, posts carry a version; comments wait for their branch.' },
  72: { by: canary },
  73: { by: 'test/e2e/foundation.spec.ts' },
  74: {
    reason:
      '`npm audit` and `npm ci --ignore-scripts` are commands of the release, not of a test without network.',
  },
};
