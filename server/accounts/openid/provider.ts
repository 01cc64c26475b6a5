import * as client from 'openid-client';
import { z } from 'zod';
import { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { AppError } from '../../../contract/errors.ts';
import { recentSignInMs } from '../../access/recent-sign-in.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config, OpenidSettings } from '../../config.ts';

/** Where the provider sends the browser back; it must be registered there. */
export const callbackPath = '/login/openid/callback';

/** The state that a browser keeps while its user is at the provider. */
export const OpenidFlow = z.strictObject({
  state: z.string().min(1),
  nonce: z.string().min(1),
  codeVerifier: z.string().min(1),
  purpose: z.discriminatedUnion('kind', [
    /** `next` is the path to go to afterwards; `isLong` says whether use prolongs the session. */
    z.strictObject({ kind: z.literal('sign-in'), next: z.string(), isLong: z.boolean() }),
    /** The session whose account is to be connected. */
    z.strictObject({ kind: z.literal('connect'), sessionId: z.string() }),
    /** The session whose owner confirms their identity. */
    z.strictObject({ kind: z.literal('confirm'), sessionId: z.string() }),
  ]),
});
export type OpenidFlow = z.output<typeof OpenidFlow>;

/** A person as the provider knows them. `issuer` and `subject` together identify one person for good. */
export type OpenidPerson = {
  issuer: string;
  subject: string;
  /** In normal form; undefined if the provider gives none. */
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  username: string | undefined;
  /** When they authenticated at the provider, in milliseconds; undefined if unknown. */
  shownAt: number | undefined;
  /** The names in the claim that carries tags. */
  tags: readonly string[];
};

const { email: Email, name: FullName } = NewAccount.shape;
const Text = z.string().max(1_000).optional().catch(undefined);

/**
 * The claims that are used (OpenID Connect Core 1.0, section 5.1). A claim of the wrong type counts as
 * missing.
 */
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: Email.optional().catch(undefined),
  // Some providers send text instead of a boolean.
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false).default(false),
  name: FullName.optional().catch(undefined),
  preferred_username: Text,
  auth_time: z.number().nonnegative().optional().catch(undefined),
});
const Names = z.array(z.string().max(1_000)).max(1_000).catch([]);

const httpTimeoutSeconds = 10;
/** How recent the log-in at the provider must be to confirm an identity here. */
const confirmSeconds = recentSignInMs / 1_000;
/** Longer than any log-in there lasts. */
const longestSeconds = 10 * 365 * 24 * 60 * 60;

/**
 * An OpenID Connect provider: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0,
 * section 3.1; RFC 9700). Its tokens are not stored. Throws unavailable if it cannot be reached, and
 * unauthenticated for an invalid answer.
 */
export class OpenidProvider {
  readonly name: string;
  readonly #settings: OpenidSettings;
  readonly #publicUrl: string;
  readonly #clock: Clock;
  #discovered: Promise<client.Configuration> | undefined;

  constructor(settings: OpenidSettings, { publicUrl }: Pick<Config, 'publicUrl'>, clock: Clock) {
    this.name = settings.name;
    this.#settings = settings;
    this.#publicUrl = publicUrl;
    this.#clock = clock;
  }

  /**
   * The address at the provider that the browser is sent to, and the state that it keeps until it returns.
   */
  async begin(purpose: OpenidFlow['purpose']): Promise<{ url: URL; flow: OpenidFlow }> {
    const configuration = await this.#configuration();
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
      purpose,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${this.#publicUrl}${callbackPath}`,
      scope: this.#scope(configuration),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
      code_challenge_method: 'S256',
      ...(purpose.kind === 'confirm'
        ? { prompt: 'login', max_age: String(confirmSeconds) }
        : // With this parameter the provider must say when the person logged in there.
          { max_age: String(longestSeconds) }),
    });
    return { url, flow };
  }

  /** The person who returns with `query`, the part of the address from the question mark on. */
  async finish(query: string, flow: OpenidFlow): Promise<OpenidPerson> {
    const configuration = await this.#configuration();
    const url = new URL(`${this.#publicUrl}${callbackPath}${query}`);
    return await this.#answered(async () => {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: flow.codeVerifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
        // Checked against `auth_time`: nothing else proves that the provider asked them to log in again.
        ...(flow.purpose.kind === 'confirm' && { maxAge: confirmSeconds }),
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new Error('The provider sent no ID token.');
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      // The signed claims win over those of the userinfo endpoint, which does not say when the person logged
      // in.
      const more = hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub) : {};
      return this.#personOf(idToken.iss, { ...more, auth_time: undefined, ...idToken });
    });
  }

  #personOf(issuer: string, given: Record<string, unknown>): OpenidPerson {
    const claims = Claims.parse(given);
    const { tagsClaim } = this.#settings;
    return {
      issuer,
      subject: claims.sub,
      email: claims.email,
      isEmailVerified: claims.email_verified,
      name: claims.name,
      username: claims.preferred_username,
      // A provider whose clock is ahead must not make a log-in later than now.
      shownAt:
        claims.auth_time === undefined
          ? undefined
          : Math.min(Math.floor(claims.auth_time * 1_000), this.#clock()),
      tags: tagsClaim === undefined ? [] : Names.parse(given[tagsClaim]),
    };
  }

  /** Some providers need an extra scope for the claim with tags. */
  #scope(configuration: client.Configuration): string {
    const { tagsClaim } = this.#settings;
    const known = configuration.serverMetadata().scopes_supported ?? [];
    const more = tagsClaim !== undefined && known.includes(tagsClaim) ? [tagsClaim] : [];
    return ['openid', 'email', 'profile', ...more].join(' ');
  }

  /**
   * The provider's configuration, read at its first use, so that the site starts while the provider is down.
   */
  #configuration(): Promise<client.Configuration> {
    this.#discovered ??= this.#answered(() => this.#discover()).catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    // The settings allow http for localhost only.
    const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    return await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: httpTimeoutSeconds,
      execute: [...insecure, client.enableNonRepudiationChecks],
    });
  }

  async #answered<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof client.AuthorizationResponseError && error.error === 'access_denied') {
        throw new AppError('cancelled', `You have not signed in with ${this.name}.`);
      }
      const isAway = isUnreachable(error);
      throw Object.assign(
        isAway
          ? new AppError('unavailable', `${this.name} cannot be reached. Please try again in a moment.`)
          : new AppError('unauthenticated', `The answer of ${this.name} could not be used.`),
        { cause: error },
      );
    }
  }
}

/** Whether the provider did not answer, or answered with a server error. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'OAUTH_TIMEOUT') return true;
  // The HTTP server replaces `Response` with a class of its own, so an answer is recognised by its status.
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return statusOf(error.cause) >= 500;
  return error.cause !== undefined && error.cause !== error && isUnreachable(error.cause);
}

function statusOf(response: unknown): number {
  return typeof response === 'object' && response !== null && 'status' in response
    ? Number(response.status)
    : 0;
}
