import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

/** The name of the site's public key in the DNS. */
export const dkimSelector = 'coterie';
/** Not all receivers accept other kinds of keys, and many accept no longer ones. Bits. */
const keyBits = 2048;
/**
 * The headers that must arrive unchanged; those of a mailing list are needed for one-click unsubscribing (RFC
 * 8058).
 */
const signedHeaders = [
  'From',
  'To',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
];

/** A new private key, also as text on one line. */
export function makeDkimKey(): { key: KeyObject; text: string } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: keyBits });
  return { key: privateKey, text: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64') };
}

/**
 * A private key in PEM, or on one line as {@link makeDkimKey} makes it. Undefined if it is not an RSA key.
 */
export function readDkimKey(text: string): KeyObject | undefined {
  const key = text.trim();
  try {
    const read = key.startsWith('-----')
      ? createPrivateKey(key)
      : createPrivateKey({ key: Buffer.from(key, 'base64'), type: 'pkcs8', format: 'der' });
    return read.asymmetricKeyType === 'rsa' ? read : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** The text of the record at {@link dkimSelector} in the DNS. */
export function dkimRecord(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return `v=DKIM1; k=rsa; p=${der.toString('base64')}`;
}

/** A mail with a signature for the domain of its sender (RFC 6376). */
export async function signMail(bytes: Buffer, key: KeyObject, from: string): Promise<Buffer> {
  const { default: DKIM } = await import('nodemailer/lib/dkim');
  const dkim = new DKIM({
    domainName: hostOf(from),
    keySelector: dkimSelector,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    headerFieldNames: signedHeaders.join(':'),
  });
  return await buffer(dkim.sign(bytes));
}

/** The host of an address, such as `Mina Harker <mina@blog.example>`. */
export function hostOf(address: string): string {
  return /@([^<>@\s]+?)>?\s*$/.exec(address)?.[1]?.toLowerCase() ?? '';
}
