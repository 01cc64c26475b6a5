import type { Logger } from 'pino';
import type { ReadContext } from '../access/context.ts';
import type { Asking } from '../base/outgoing.ts';
import type { Config } from '../config.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import type { DbContext } from '../db/transaction.ts';
import type { FileStore } from '../files/store/store.ts';
import type { MailTransport } from './transport.ts';

/** The dependencies of preparing and sending mails. */
export type MailContext = DbContext &
  ReadContext & {
    changes: ChangeRecord;
    config: Config;
    files: FileStore;
    log: Logger;
    mail: MailTransport;
    /** The key that signs links. */
    secret: string;
    stopping: AbortSignal;
    /** Which network addresses push services may have; tests allow their own server. */
    isAllowed?: Asking['isAllowed'];
  };
