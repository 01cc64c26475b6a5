import { WishKind } from '../../../contract/wishes.ts';
import { isSigned, sign } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';

/**
 * The link in a mail that ends mails of this kind to this person only. It stays valid, because people keep
 * mails.
 */
export function wishLink(
  { config, secret }: { config: Pick<Config, 'publicUrl'>; secret: string },
  userId: string,
  kind: WishKind,
): string {
  const about = `${userId}.${kind}`;
  return `${config.publicUrl}/unsubscribe?token=${about}.${sign(secret, 'unsubscribe', about)}`;
}

/** The wish that a link of {@link wishLink} ends; undefined for any other. */
export function wishOfLink(
  { secret }: { secret: string },
  token: string,
): { userId: string; kind: WishKind } | undefined {
  const [userId = '', name = '', signature = ''] = token.split('.');
  const kind = WishKind.safeParse(name);
  if (!kind.success || !isSigned(secret, 'unsubscribe', `${userId}.${name}`, signature)) return undefined;
  return { userId, kind: kind.data };
}
