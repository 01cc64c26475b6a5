import type { z } from 'zod';
import { accessRequestOperations } from './access-requests.ts';
import { accountOperations } from './accounts/account.ts';
import { openidOperations } from './accounts/openid.ts';
import { passkeyOperations } from './accounts/passkeys.ts';
import { secondFactorOperations } from './accounts/second-factor.ts';
import { signInOperations } from './accounts/sign-in.ts';
import { tokenOperations } from './accounts/tokens.ts';
import { userOperations } from './accounts/users.ts';
import { backupOperations } from './backups.ts';
import { commentOperations } from './comments.ts';
import { effectOperations } from './effects.ts';
import { feedOperations } from './feeds.ts';
import { historyOperations } from './history.ts';
import { invitationOperations } from './invitations.ts';
import { likeOperations } from './likes.ts';
import { linkOperations } from './links.ts';
import { mailOperations } from './mail.ts';
import { openingOperations } from './openings.ts';
import { postAddressOperations } from './post-address.ts';
import { postOperations } from './posts.ts';
import { proposalOperations } from './proposals.ts';
import { pushOperations } from './push.ts';
import { readingOperations } from './reading.ts';
import { retaggingOperations } from './retagging.ts';
import { searchOperations } from './search.ts';
import { settingsOperations } from './settings.ts';
import { systemOperations } from './system.ts';
import { tagOperations } from './tags.ts';
import { transferOperations } from './transfers.ts';
import { webhookOperations } from './webhooks.ts';
import { wishOperations } from './wishes.ts';

/** Every operation of Coterie by name. `POST /api/{name}` calls it. */
export const operations = {
  ...accountOperations,
  ...backupOperations,
  ...mailOperations,
  ...effectOperations,
  ...accessRequestOperations,
  ...feedOperations,
  ...historyOperations,
  ...commentOperations,
  ...invitationOperations,
  ...likeOperations,
  ...linkOperations,
  ...signInOperations,
  ...openidOperations,
  ...openingOperations,
  ...passkeyOperations,
  ...secondFactorOperations,
  ...postAddressOperations,
  ...postOperations,
  ...proposalOperations,
  ...pushOperations,
  ...readingOperations,
  ...searchOperations,
  ...settingsOperations,
  ...systemOperations,
  ...tagOperations,
  ...retaggingOperations,
  ...tokenOperations,
  ...transferOperations,
  ...userOperations,
  ...webhookOperations,
  ...wishOperations,
};

type Operations = typeof operations;
export type OperationName = keyof Operations;
/** What a caller passes. */
export type Input<Name extends OperationName> = z.input<Operations[Name]['input']>;
export type Output<Name extends OperationName> = z.output<Operations[Name]['output']>;

/** Calls an operation by name: over HTTP in the browser, in the same process while a page is rendered. */
export type Call = <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Output<Name>>;
