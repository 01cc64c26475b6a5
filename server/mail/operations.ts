import { AppError } from '../../contract/errors.ts';
import type { mailOperations } from '../../contract/mail.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import type { Config } from '../config.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { testMail } from './compose.ts';
import { dnsLookup, examineDns } from './examine-dns.ts';
import { mailSite } from './letter.ts';
import { getMailState } from './read.ts';
import { MailRefused, type MailTransport } from './transport.ts';

type MailDeps = { changes: ChangeRecord; mail: MailTransport; config: Config };

export const mailHandlers: Handlers<typeof mailOperations, MailDeps> = {
  getMailState,
  checkMailDns: async ({ mail, config }) => {
    if (mail.kind === 'folder') return { findings: [] };
    return { findings: await examineDns(config, await mail.from(), dnsLookup()) };
  },
  sendTestMail: async deps => {
    const { name, email } = accountOf(deps.viewer);
    try {
      const mail = { id: createId(), to: { name, address: email }, ...testMail(await mailSite(deps)) };
      await deps.mail.send(async () => mail);
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      throw new AppError('unavailable', `The email could not be sent: ${error.message}`);
    }
    return { to: email };
  },
};
