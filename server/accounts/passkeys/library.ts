/**
 * The functions of the passkey library that we use, loaded when a passkey is made or used. One module,
 * because its certificates need `reflect-metadata` loaded first, and the order of two separate imports is not
 * certain.
 */
export {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
export { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
