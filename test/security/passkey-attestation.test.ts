import { listen } from '../support/listen.ts';
import 'reflect-metadata';
import { createHash, KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import {
  CRLDistributionPointsExtension,
  Extension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { expect, it } from 'vitest';
import { type Attestation, Authenticator, bytes, text } from '../support/authenticator.ts';
import { describeEngines } from '../support/engines.ts';
import { refusal } from '../support/site.ts';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
/** The extension with which Android describes a key (Key attestation of Android, schema version 3). */
const keyDescription = '1.3.6.1.4.1.11129.2.1.17';

const makeKeys = () => crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);

/**
 * A key, and the attestation of an Android device for it: its own certificate, and that of its issuer.
 * Whether it was withdrawn would have to be asked at `revocationUrl`.
 */
async function androidKey(clientData: Buffer, revocationUrl: string) {
  const [voucher, keys] = [await makeKeys(), await makeKeys()];
  const shared = { serialNumber: '01', ...validity, signingAlgorithm: ecdsa };
  const root = await X509CertificateGenerator.createSelfSigned({ ...shared, name: 'CN=Root', keys: voucher });
  const described = Buffer.concat([
    // Versions and levels of security, the hash of the client's data, and no authorizations.
    Buffer.from('30340201030a01010201040a01010420', 'hex'),
    createHash('sha256').update(clientData).digest(),
    Buffer.from('040030003000', 'hex'),
  ]);
  const leaf = await X509CertificateGenerator.create({
    ...shared,
    serialNumber: '02',
    subject: 'CN=Key',
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: voucher.privateKey,
    extensions: [
      new CRLDistributionPointsExtension([revocationUrl]),
      new Extension(keyDescription, false, described),
    ],
  });
  const certificate = ({ rawData }: X509Certificate) => bytes(Buffer.from(rawData));
  const statement = Buffer.concat([
    Buffer.from([0xa3]),
    text('alg'),
    Buffer.from([0x26]),
    text('sig'),
    bytes(Buffer.alloc(64)),
    text('x5c'),
    Buffer.from([0x82]),
    certificate(leaf),
    certificate(root),
  ]);
  const attestation: Attestation = { format: 'android-key', statement };
  const pair = { publicKey: KeyObject.from(keys.publicKey), privateKey: KeyObject.from(keys.privateKey) };
  return { pair, attestation };
}

describeEngines(({ site }) => {
  it('57. what a passkey says of its device makes the server fetch no address that its certificates name', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    const port = await listen(server);
    try {
      const s = await site();
      const stranger = await s.signUp();
      const authenticator = new Authenticator(new URL(s.config.publicUrl).origin);
      const request = await s.call(stranger, 'requestPasskey', {});
      const clientData = authenticator.clientDataOf(request);
      const { pair, attestation } = await androidKey(clientData, `http://127.0.0.1:${port}/revoked`);
      const passkey = authenticator.make(request, {}, pair, attestation);
      const answer = await refusal(s.call(stranger, 'addPasskey', { name: 'phone', passkey }));
      expect([requests, answer]).toEqual([0, 'invalid-argument']);
    } finally {
      server.close();
    }
  });
});
