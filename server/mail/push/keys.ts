import { createECDH } from 'node:crypto';
import { sign } from '../../base/secrets.ts';

/**
 * The keys that identify the site to push services (RFC 8292), as base64url. Made from its secret, so that
 * all processes have the same and nothing is stored.
 */
export function pushKeys(secret: string): { publicKey: string; privateKey: string } {
  const privateKey = sign(secret, 'push', 'key');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(privateKey, 'base64url');
  return { publicKey: curve.getPublicKey('base64url'), privateKey };
}
