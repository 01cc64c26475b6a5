import { AppError } from '../../contract/errors.ts';
import { isSigned, sign } from '../base/secrets.ts';
import type { Config } from '../config.ts';

/**
 * The link in a mail that ends this person's subscription only. It stays valid, because people keep mails.
 */
export function unsubscribeLink(
  { config, secret }: { config: Config; secret: string },
  userId: string,
): string {
  return `${config.publicUrl}/unsubscribe?token=${userId}.${sign(secret, 'unsubscribe', userId)}`;
}

/**
 * Headers with which mail programs sort mails of a list (RFC 2919) and end them with one click (RFC 8058).
 * `stop` is the address that ends them.
 */
export function listHeaders(
  { config }: { config: Pick<Config, 'publicUrl'> },
  list: string,
  stop: string,
): Record<string, string> {
  return {
    'List-Id': `<${list}.${new URL(config.publicUrl).hostname}>`,
    'List-Unsubscribe': `<${stop}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** The account of a link made by {@link unsubscribeLink}. Throws invalid-argument for an invalid link. */
export function unsubscriber({ secret }: { secret: string }, token: string): string {
  // Ids and signatures are base64url, without a dot.
  const [userId = '', signature = ''] = token.split('.');
  if (!isSigned(secret, 'unsubscribe', userId, signature)) {
    throw new AppError(
      'invalid-argument',
      'This link is not valid. Please use the one in your latest email.',
    );
  }
  return userId;
}
