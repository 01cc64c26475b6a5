/**
 * What passkeys need of their library, loaded when one is made or used. One module, because its certificates
 * ask for `reflect-metadata` to be there before them: two imports are two files, whose order is not certain.
 */
export {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
export { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
