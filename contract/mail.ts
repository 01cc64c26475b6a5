import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** What a mail is about. */
const MailKind = z.enum([
  'post',
  'reset',
  'confirm',
  'approved',
  'waiting',
  'digest',
  'comment',
  'push',
  'refused-reply',
  'asked',
  'let-in',
  'opened',
  'reported',
  'backup-failed',
  'notice',
  'sign-in',
  'invitation',
]);

/** A mail that could not be sent. `error` is the mail server's own sentence. */
const MailProblem = z.object({
  kind: MailKind,
  username: z.string().nullable(),
  state: z.enum(['queued', 'sent', 'failed']),
  error: z.string(),
  createdAt: Moment,
});

export const mailOperations = {
  getMailState: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Where mail goes, what is waiting, and what went wrong last.',
    output: z.object({
      transport: z.enum(['smtp', 'folder']),
      /** The server, without its password, or the folder. */
      where: z.string(),
      from: z.string(),
      queued: z.int(),
      sentLastDay: z.int(),
      droppedLastDay: z.int(),
      failed: z.int(),
      oldestQueuedAt: Moment.nullable(),
      problems: z.array(MailProblem),
      /** Members whose mails came back repeatedly, so that sending to them is paused. */
      paused: z.array(z.object({ username: z.string(), reason: z.string(), lastAt: Moment })),
    }),
  }),
  checkMailDns: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'What the DNS says about the sender of this site’s mail, and what to change there. Empty if the site sends no mail.',
    output: z.object({
      findings: z.array(
        z.object({
          /** The DNS record, and the host it belongs to. */
          about: z.string(),
          /** Null for what cannot be seen from here. */
          isGood: z.boolean().nullable(),
          /** What is there, or what to paste and where. */
          sentence: z.string(),
        }),
      ),
    }),
  }),
  sendTestMail: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Sends a mail to the caller’s own address immediately, and returns the mail server’s answer.',
    output: z.object({ to: z.string() }),
  }),
};
