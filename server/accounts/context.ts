import type { Logger } from 'pino';
import type { Invocation } from '../access/context.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import type { Limits } from '../limits/rate-limits.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { OpenidProvider } from './openid/provider.ts';
import type { Auth } from './sessions/auth.ts';

/** What operations about accounts use beside the call. */
export type AccountContext = {
  auth: Auth;
  changes: ChangeRecord;
  limits: Limits;
  log: Logger;
  mail: MailTransport;
  openid: OpenidProvider | undefined;
  pause: (ms: number) => Promise<unknown>;
  /** The key with which sessions and links are signed. */
  secret: string;
};

/** A call of such an operation. */
export type AccountInvocation = Invocation & AccountContext;
