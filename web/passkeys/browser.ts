import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import type { Call, Input } from '../../contract/operations.ts';

/** Whether this browser can make and use passkeys here: only on pages over https or from this machine. */
export const hasPasskeys = () => window.isSecureContext && browserSupportsWebAuthn();

export const offersPasskeys = async () => hasPasskeys() && (await browserSupportsWebAuthnAutofill());

/**
 * Lets a passkey sign the server's challenge. `isOffered`: the browser offers it in a field with
 * `autocomplete="... webauthn"`, and the promise waits until the reader chooses one there. Another call
 * withdraws the offer. Once `signal` is aborted none begins. {@link describeFailure} describes the errors.
 */
export async function signWithPasskey(
  call: Call,
  { isOffered = false, signal }: { isOffered?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<Input<'signInWithPasskey'>['signed']> {
  const optionsJSON = await call('requestSignature', {});
  signal?.throwIfAborted();
  const { id, rawId, response } = await startAuthentication({ optionsJSON, useBrowserAutofill: isOffered });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type: 'public-key',
    response: {
      clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle !== undefined && { userHandle }),
    },
  };
}

/** Makes a passkey for the account that is signed in. {@link describeFailure} describes the errors. */
export async function makePasskey(call: Call): Promise<Input<'addPasskey'>['passkey']> {
  const optionsJSON = await call('requestPasskey', {});
  const { id, rawId, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports } = response;
  return {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, attestationObject, ...(transports !== undefined && { transports }) },
  };
}

/** Withdraws the browser's current offer or dialog. */
export const withdraw = () => WebAuthnAbortService.cancelCeremony();

/**
 * Whether the reader has closed the browser's dialog, or another request has replaced it: then there is no
 * error to show.
 */
export function wasCancelled(error: unknown): boolean {
  return error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name);
}

export function describeFailure(error: Error): string {
  if (wasCancelled(error)) return 'No passkey was used or added.';
  if (!(error instanceof WebAuthnError)) return error.message;
  switch (error.code) {
    case 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED':
      return 'Your account has a passkey on this device already.';
    case 'ERROR_INVALID_DOMAIN':
    case 'ERROR_INVALID_RP_ID':
      return 'Browsers make passkeys only for sites that are reached by their name.';
    case 'ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT':
    case 'ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT':
      return 'This device cannot keep a passkey that asks who uses it. Please try another one, or set a PIN.';
    default:
      return 'The browser could not do this. Please try again.';
  }
}
