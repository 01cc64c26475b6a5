import * as client from 'openid-client';
import { z } from 'zod';
import { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { AppError } from '../../../contract/errors.ts';
import { recentSignInMs } from '../../access/recent-sign-in.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config, OpenidSettings } from '../../config.ts';

/** Where the provider sends the browser back to; it has to be registered there. */
export const callbackPath = '/login/openid/callback';

/** What a browser keeps while its person is at the provider. */
export const OpenidFlow = z.strictObject({
  state: z.string().min(1),
  nonce: z.string().min(1),
  codeVerifier: z.string().min(1),
  purpose: z.discriminatedUnion('kind', [
    /** `next` is the path that it leads to, `isLong` whether the session goes on with its use. */
    z.strictObject({ kind: z.literal('sign-in'), next: z.string(), isLong: z.boolean() }),
    /** The session whose account is to be connected. */
    z.strictObject({ kind: z.literal('connect'), sessionId: z.string() }),
    /** The session whose owner shows once more who they are. */
    z.strictObject({ kind: z.literal('confirm'), sessionId: z.string() }),
  ]),
});
export type OpenidFlow = z.output<typeof OpenidFlow>;

/** Somebody as the provider knows them. `issuer` and `subject` together never mean anybody else. */
export type OpenidPerson = {
  issuer: string;
  subject: string;
  /** In normal form; undefined where the provider tells none. */
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
  // Some providers write it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false).default(false),
  name: FullName.optional().catch(undefined),
  preferred_username: Text,
  auth_time: z.number().nonnegative().optional().catch(undefined),
});
const Names = z.array(z.string().max(1_000)).max(1_000).catch([]);

const httpTimeoutSeconds = 10;
/** How long ago somebody may have logged in at the provider to confirm here who they are. */
const confirmSeconds = recentSignInMs / 1_000;
/** Longer than anybody stays logged in there. */
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

  /** The address at the provider where the browser goes, and what it keeps until it comes back. */
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
        : // With this parameter the provider has to tell when they logged in there.
          { max_age: String(longestSeconds) }),
    });
    return { url, flow };
  }

  /** The person who comes back with `query`, the part of the address that begins with a question mark. */
  async finish(query: string, flow: OpenidFlow): Promise<OpenidPerson> {
    const configuration = await this.#configuration();
    const url = new URL(`${this.#publicUrl}${callbackPath}${query}`);
    return await this.#answered(async () => {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: flow.codeVerifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
        // Checked against `auth_time`: nothing else proves that the provider has asked anew.
        ...(flow.purpose.kind === 'confirm' && { maxAge: confirmSeconds }),
      });
      const idToken = tokens.claims();
      if (idToken === undefined) throw new Error('The provider sent no ID token.');
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      // The signed claims win over those of the userinfo endpoint, which do not say when the person logged
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
      // A provider whose clock is ahead must not make a log-in more recent than now.
      shownAt:
        claims.auth_time === undefined
          ? undefined
          : Math.min(Math.floor(claims.auth_time * 1_000), this.#clock()),
      tags: tagsClaim === undefined ? [] : Names.parse(given[tagsClaim]),
    };
  }

  /** The claim with tags has a scope of its own at some providers. */
  #scope(configuration: client.Configuration): string {
    const { tagsClaim } = this.#settings;
    const known = configuration.serverMetadata().scopes_supported ?? [];
    const more = tagsClaim !== undefined && known.includes(tagsClaim) ? [tagsClaim] : [];
    return ['openid', 'email', 'profile', ...more].join(' ');
  }

  /** The provider's configuration, read at its first use: the site starts also while the provider is away. */
  #configuration(): Promise<client.Configuration> {
    this.#discovered ??= this.#answered(() => this.#discover()).catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    // Settings allow http for this very machine alone.
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

/** Whether the provider did not answer at all, or with an error of its server. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'OAUTH_TIMEOUT') return true;
  // The HTTP server puts a class of its own in the place of `Response`, so an answer is known by its status.
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return statusOf(error.cause) >= 500;
  return error.cause !== undefined && error.cause !== error && isUnreachable(error.cause);
}

function statusOf(response: unknown): number {
  return typeof response === 'object' && response !== null && 'status' in response
    ? Number(response.status)
    : 0;
}
