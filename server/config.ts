import { isIPv6 } from 'node:net';
import type { z } from 'zod';
import { type SettingName, SomeSettings, settingNames, variableOf } from '../contract/site-settings.ts';
import { ConfigError } from './base/config-error.ts';
import { parseNetworks } from './base/networks.ts';
import { Environment } from './environment.ts';
import { findSetting, type SettingSource } from './settings-file.ts';

/** How archives are encrypted: for public keys of age (`age1...`) or with a passphrase. */
export type ArchiveEncryption = { recipients: readonly string[] } | { passphrase: string };

/** A provider of OpenID Connect that people may sign in with. */
export type OpenidSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  /** The claim whose values are tags. */
  tagsClaim: string | undefined;
};

/** The settings in the form that the rest of the server uses. */
export type Config = ReturnType<typeof configOf>;

/**
 * Reads the settings from the environment and the files that it names. `defaults` are those of this program.
 * Throws {@link ConfigError} with one sentence for the first invalid one.
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  defaults: Readonly<Record<string, string>> = {},
): Config {
  const set = { ...defaults, ...valuesOf(findSettings(environment)) };
  const result = Environment.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}.`);
  }
  return configOf(result.data, readFixedSettings(set));
}

export function findSettings(environment: Record<string, string | undefined>): Map<string, SettingSource> {
  const names = [...Object.keys(Environment.shape), ...settingVariables];
  return new Map(
    names.flatMap(name => {
      const found = findSetting(environment, name);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

const valuesOf = (settings: Map<string, SettingSource>) =>
  Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));

export const settingVariables: readonly string[] = settingNames.flatMap(name => variableOf(name) ?? []);

function readFixedSettings(environment: Record<string, string | undefined>): SomeSettings {
  const set = settingNames.flatMap(name => {
    const value = environment[variableOf(name) ?? ''];
    return value === undefined ? [] : [[name, value]];
  });
  const result = SomeSettings.safeParse(Object.fromEntries(set));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const sentence = issue?.message.replace(/^It /, '');
  throw new ConfigError(`${variableOf(issue?.path[0] as SettingName)} ${sentence}`);
}

function configOf(values: z.output<typeof Environment>, fixedSettings: SomeSettings) {
  if (values.MAIL_INBOX_URL !== undefined && values.MAIL_REPLY_ADDRESS === undefined)
    throw new ConfigError('MAIL_REPLY_ADDRESS is missing: MAIL_INBOX_URL needs it.');
  const address = values.PUBLIC_URL ?? `http://${reachableHost(values.HOST)}:${values.PORT}`;
  // As headers and mails need it: an international host name in ASCII.
  const publicUrl = new URL(address).href.replace(/\/+$/, '');
  return {
    port: values.PORT,
    host: values.HOST,
    /** The address at which this machine itself reaches the process, even without DNS. */
    ownUrl: `http://${ownHost(values.HOST)}:${values.PORT}`,
    /**
     * The address at which readers reach the site, without a trailing slash. Links in mails and previews
     * start with it.
     */
    publicUrl,
    /**
     * Whether the settings name that address; otherwise it is the one at which this machine reaches the site.
     */
    hasPublicUrl: values.PUBLIC_URL !== undefined,
    /** Whether readers reach the site over https; cookies are then bound to it. */
    isSecure: publicUrl.startsWith('https:'),
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    /** The same database, bypassing a pooler, for migrations. */
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    /** What this process does: answers requests, works in the background, or both. */
    role: values.ROLE,
    smtpUrl: values.SMTP_URL,
    /** Whether only accounts with a confirmed address wait for approval; never if no mail is sent. */
    confirmsFirst: values.SMTP_URL !== undefined && values.CONFIRM_EMAIL_FIRST === 'true',
    mailFrom: values.MAIL_FROM,
    /** The key that signs mails (DKIM); undefined if the mail server does that. */
    mailDkimKey: values.MAIL_DKIM_KEY,
    /**
     * The address for answers to mails, with `{}` for the secret of each; undefined if answering by mail is
     * off.
     */
    mailReplyAddress: values.MAIL_REPLY_ADDRESS,
    /** The mailbox that mails are fetched from; undefined if a mail server delivers them, or nothing does. */
    mailInboxUrl: values.MAIL_INBOX_URL,
    /** The proxies in front of the site whose X-Forwarded-For is trusted; none by default. */
    trustedProxies: values.TRUSTED_PROXIES ?? parseNetworks(''),
    hasTrustedProxies: values.TRUSTED_PROXIES !== undefined,
    /** How long a stopping process still serves requests while `/readyz` fails. Milliseconds. */
    drainMs: values.DRAIN_SECONDS * 1_000,
    /** How long an idle connection stays open, in milliseconds. */
    keepAliveMs: values.KEEP_ALIVE_SECONDS * 1_000,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    /** The site's settings that the environment overrides (decision 47). */
    fixedSettings,
    /** An S3-compatible store for the bytes of files; undefined for a folder in `dataDir`. */
    filesUrl: values.FILES_URL,
    /** The largest size of all files together, in bytes. */
    filesQuotaBytes: values.FILES_QUOTA_MIB * 1024 * 1024,
    /** The bucket name that programs use for this site's files. */
    storageBucket: values.STORAGE_BUCKET,
    /** How many days the history of rights is kept; undefined for ever. */
    historyDays: values.HISTORY_DAYS === 'forever' ? undefined : values.HISTORY_DAYS,
    openid: openidOf(values),
    /** The most days that an access token may be valid; undefined for no limit. */
    tokenMaxDays: values.TOKEN_MAX_DAYS,
    /** Other origins whose pages may use the API, with a token. */
    corsOrigins: values.CORS_ORIGINS,
    /** Where backups are kept: an S3-compatible store or a folder; undefined for `backups` in `dataDir`. */
    backupUrl: values.BACKUP_URL,
    /** How each archive of the site is encrypted; undefined for no encryption. */
    archiveEncryption: encryptionOf(values),
    webhookNetworks: values.WEBHOOK_NETWORKS ?? parseNetworks(''),
    /** The address of the list of known vulnerabilities; undefined for none. */
    advisoriesUrl: values.ADVISORIES_URL,
    /** The public key that signs releases; undefined if check sums suffice. */
    releaseKey: values.RELEASE_KEY,
    /** The port of `/metrics`; undefined for none. */
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    logLevel: values.LOG_LEVEL,
  };
}

/** The provider's settings, which must be set together: one alone would be silently ignored. */
function openidOf(values: z.output<typeof Environment>): OpenidSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = values;
  const settings = { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME };
  const missing = Object.entries(settings).find(([, value]) => value === undefined)?.[0];
  if (Object.values(settings).every(value => value === undefined)) return undefined;
  if (missing !== undefined)
    throw new ConfigError(`${missing} is missing: sign-in with OpenID Connect needs it.`);
  return {
    issuer: OIDC_ISSUER ?? '',
    clientId: OIDC_CLIENT_ID ?? '',
    clientSecret: OIDC_CLIENT_SECRET ?? '',
    name: OIDC_NAME ?? '',
    tagsClaim: values.OIDC_TAGS_CLAIM,
  };
}

function encryptionOf(values: z.output<typeof Environment>): ArchiveEncryption | undefined {
  const { BACKUP_RECIPIENTS: recipients, BACKUP_PASSPHRASE: passphrase } = values;
  if (recipients !== undefined && passphrase !== undefined)
    throw new ConfigError('BACKUP_RECIPIENTS and BACKUP_PASSPHRASE exclude each other: set one of them.');
  if (recipients !== undefined) return { recipients };
  return passphrase === undefined ? undefined : { passphrase };
}

/** The host at which this machine reaches a server that listens on `host`: `localhost` for all addresses. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

function ownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '[::1]' : reachableHost(host);
}
