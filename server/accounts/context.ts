import type { Logger } from 'pino';
import type { Invocation } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import type { Limits } from '../limits/rate-limits.ts';
import type { MailTransport } from '../mail/transport.ts';
import type { OpenidProvider } from './openid/provider.ts';
import type { PasswordHashing } from './sign-in/password-hashing.ts';

/** The dependencies of operations about accounts, besides the call. */
export type AccountContext = {
  changes: ChangeRecord;
  /** Hashes passwords, a bounded number of them at once. */
  hashing: PasswordHashing;
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

export const ownId = ({ viewer }: Pick<Invocation, 'viewer'>): string => accountOf(viewer).id;
