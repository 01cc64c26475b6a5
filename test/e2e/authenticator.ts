import type { Page } from '@playwright/test';

/**
 * The browser's virtual authenticator, like a phone with a fingerprint sensor: it stores passkeys and
 * verifies their user.
 */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      // Whether the user is present: until then the browser only offers passkeys.
      automaticPresenceSimulation: true,
    },
  });
  const touches = (enabled: boolean) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return { touches, remove: () => session.detach() };
}
