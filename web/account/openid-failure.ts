/**
 * The sentence for an error with the OpenID provider, by the reason code in the address; undefined for any other code.
 */
export function openidFailure(reason: string, name: string | null): string | undefined {
  const provider = name ?? 'The other site';
  switch (reason) {
    case 'openid':
      return `Failed to sign in. The answer of ${provider} could not be used. Please try again.`;
    case 'openid-cancelled':
      return `Failed to sign in. You have cancelled it at ${provider}.`;
    case 'openid-away':
      return `Failed to sign in. ${provider} cannot be reached. Please try again in a moment.`;
    case 'openid-address':
      return `Failed to sign in. ${provider} did not share your email address.`;
    case 'openid-recent':
      return `Failed to connect ${provider}. Please begin again, and confirm that it is you.`;
    case 'openid-taken':
      return `An account with this email address already exists. Log in to it with your password, then connect ${provider} on your account page.`;
    default:
      return undefined;
  }
}
