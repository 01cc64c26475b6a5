import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Output } from '../../contract/operations.ts';
import type { Person, Site } from './site.ts';

/** Flags of an authenticator's answer (WebAuthn Level 3, section 6.1). */
const flags = { present: 0x01, verified: 0x04, attested: 0x40 };

/** What an answer is made with where it is not as it should be. */
type Oddity = { origin?: string; challenge?: string; isVerified?: boolean; userHandle?: string };

/** What a passkey says of the device that made it: the name of the format, and the statement in CBOR. */
export type Attestation = { format: string; statement: Buffer };
type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

/** What a browser says of the device to a site that asks nothing about it. */
const unattested: Attestation = { format: 'none', statement: Buffer.from([0xa0]) };

/**
 * A passkey of a browser, in software: it makes a key for a site and signs with it, byte for byte as WebAuthn
 * Level 3 has it (sections 6.1 and 6.5), so that a test can also answer what no browser would.
 */
export class Authenticator {
  readonly origin: string;
  #credential: { id: Buffer; key: KeyObject; userHandle: string } | undefined;
  #counter = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Makes the passkey that a site asks for, of a given key if something was said about it. */
  make(
    request: Output<'requestPasskey'>,
    oddity: Oddity = {},
    { publicKey, privateKey }: KeyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    { format, statement }: Attestation = unattested,
  ) {
    const id = randomBytes(32);
    this.#credential = { id, key: privateKey, userHandle: request.user.id };
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const size = Buffer.alloc(2);
    size.writeUInt16BE(id.length);
    const coseKey = Buffer.concat([
      // A map of five: an elliptic curve (1: 2), ES256 (3: -7), P-256 (-1: 1), and the point.
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      bytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      bytes(Buffer.from(y, 'base64url')),
    ]);
    const authData = Buffer.concat([
      this.#data(request.rp.id, oddity, flags.attested),
      Buffer.alloc(16),
      size,
      id,
      coseKey,
    ]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text(format),
      text('attStmt'),
      statement,
      text('authData'),
      bytes(authData),
    ]);
    return {
      ...this.#named(),
      response: {
        clientDataJSON: this.clientDataOf(request, oddity).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** What the browser says of the page that asks for a passkey. */
  clientDataOf({ challenge }: Output<'requestPasskey'>, oddity: Oddity = {}): Buffer {
    return this.#clientData('webauthn.create', challenge, oddity);
  }

  /** Signs what a site asks for. */
  sign(request: Output<'requestSignature'>, oddity: Oddity = {}) {
    if (this.#credential === undefined) throw new Error('There is no passkey yet.');
    this.#counter += 1;
    const data = this.#data(request.rpId, oddity);
    const clientData = this.#clientData('webauthn.get', request.challenge, oddity);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      ...this.#named(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(this.#credential.key, 'base64url'),
        userHandle: oddity.userHandle ?? this.#credential.userHandle,
      },
    };
  }

  /** As if it had been copied a while ago: it counts on from there. */
  setBack(uses: number): void {
    this.#counter -= uses;
  }

  #named() {
    const id = this.#credential?.id.toString('base64url') ?? '';
    return { id, rawId: id, type: 'public-key' as const };
  }

  #data(rpId: string, { isVerified = true }: Oddity, more = 0): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.from([flags.present | (isVerified ? flags.verified : 0) | more]),
      counter,
    ]);
  }

  #clientData(type: string, asked: string, { origin = this.origin, challenge = asked }: Oddity): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

/** Adds a passkey to the account of somebody who has just signed in. */
export async function addPasskey(s: Site, person: Person, name = 'phone'): Promise<Authenticator> {
  const authenticator = new Authenticator(new URL(s.config.publicUrl).origin);
  const request = await s.call(person, 'requestPasskey', {});
  await s.call(person, 'addPasskey', { name, passkey: authenticator.make(request) });
  return authenticator;
}

/** A text and bytes in CBOR (RFC 8949, section 3), as long as they are short. */
export function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

export function bytes(value: Buffer): Buffer {
  const isShort = value.length < 256;
  const head = Buffer.alloc(isShort ? 2 : 3);
  head[0] = isShort ? 0x58 : 0x59;
  if (isShort) head[1] = value.length;
  else head.writeUInt16BE(value.length, 1);
  return Buffer.concat([head, value]);
}
