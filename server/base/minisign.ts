import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * Signatures by minisign (https://jedisct1.github.io/minisign): Ed25519 over the bytes of a file, or over
 * their BLAKE2b-512.
 */

/** The header of a key or signature: two letters for the algorithm, and eight bytes for the key. */
const headBytes = 10;
const keyBytes = 32;
const signatureBytes = 64;
/** The DER prefix of an Ed25519 key. */
const derHead = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether a text is a public key of minisign: the second line of `minisign.pub`. */
export function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === headBytes + keyBytes && bytes.toString('latin1', 0, 2) === 'Ed';
}

/** Whether a minisign text is a signature of these bytes by this public key. */
export function isSignedBy(publicKey: string, bytes: Buffer, signature: string): boolean {
  const [, line = '', trusted = '', global = ''] = signature.split(/\r?\n/);
  const key = Buffer.from(publicKey, 'base64');
  const signed = Buffer.from(line, 'base64');
  if (signed.length !== headBytes + signatureBytes) return false;
  // The id of the key.
  if (!signed.subarray(2, headBytes).equals(key.subarray(2, headBytes))) return false;
  const algorithm = signed.toString('latin1', 0, 2);
  if (algorithm !== 'Ed' && algorithm !== 'ED') return false;
  const ofBytes = signed.subarray(headBytes);
  const message = algorithm === 'Ed' ? bytes : createHash('blake2b512').update(bytes).digest();
  const der = Buffer.concat([derHead, key.subarray(headBytes)]);
  const verifier = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const comment = Buffer.from(trusted.replace(/^trusted comment: /, ''));
  return (
    verify(null, message, verifier, ofBytes) &&
    // The trusted comment is signed, too.
    verify(null, Buffer.concat([ofBytes, comment]), verifier, Buffer.from(global, 'base64'))
  );
}
