import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

/** The name under which the public key of a site stands in the DNS. */
export const dkimSelector = 'coterie';
/** Receivers take no other kind everywhere, and many take no longer one. Bits. */
const keyBits = 2048;
/** What a receiver must see unchanged; those of a list are needed for one-click unsubscribing (RFC 8058). */
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

/** A private key in PEM, or on one line as {@link makeDkimKey} makes it. Undefined for what is no RSA key. */
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

/** The text of the record that stands under {@link dkimSelector} in the DNS. */
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
