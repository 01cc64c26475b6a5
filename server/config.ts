import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import type { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { Environment } from './environment.ts';
import { type Proxies, parseProxies } from './http/peer.ts';

/** How archives are encrypted: for public keys of age (`age1...`) or with a passphrase. */
export type ArchiveEncryption = { recipients: readonly string[] } | { passphrase: string };

/** A provider of OpenID Connect that people may sign in with. */
export type OpenidSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The name on the button. */
  name: string;
  /** The claim whose values are tags. */
  tagsClaim: string | undefined;
};

export type Config = {
  port: number;
  host: string;
  /** Where readers reach the site, without a trailing slash. Links in mails and previews start with it. */
  publicUrl: string;
  /** Whether the settings name that address; otherwise it is where this machine itself reaches the site. */
  hasPublicUrl: boolean;
  /** True when readers reach the site over https: cookies are then bound to it. */
  isSecure: boolean;
  dataDir: string;
  databaseUrl: string | undefined;
  /** The same database past a pooler, for migrations and notices. */
  databaseDirectUrl: string | undefined;
  /** Connections of this process to PostgreSQL, at most. */
  databaseConnections: number;
  /** What this process does: answers requests, works in the background, or both. */
  role: 'all' | 'web' | 'worker';
  smtpUrl: string | undefined;
  /** Whether only accounts whose address is confirmed wait for approval; never where no mail is sent. */
  confirmsFirst: boolean;
  mailFrom: string | undefined;
  /** The proxies in front of the site, whose X-Forwarded-For is believed; none by default. */
  trustedProxies: Proxies;
  hasTrustedProxies: boolean;
  /** How long a process that was told to stop still serves requests while `/readyz` fails. Milliseconds. */
  drainMs: number;
  /** How long an idle connection stays open, in milliseconds. */
  keepAliveMs: number;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  siteTitle: string;
  timeZone: string;
  /** An S3-compatible store for the bytes of files; undefined for a folder in `dataDir`. */
  filesUrl: string | undefined;
  /** The largest size of one file, and of all together, in bytes. */
  maxFileBytes: number;
  filesQuotaBytes: number;
  /** The bucket by which programs name this site's files. */
  storageBucket: string;
  /** How many days the history of rights is kept; undefined for ever. */
  historyDays: number | undefined;
  openid: OpenidSettings | undefined;
  /** How many days an access token is valid at most; undefined for no limit. */
  tokenMaxDays: number | undefined;
  /** Other origins whose pages may use the API, with a token. */
  corsOrigins: readonly string[];
  /** When a backup is made each day, in the site's time zone, as `03:30`; undefined for never. */
  backupAt: string | undefined;
  /** How many backups are kept. */
  backupKeep: number;
  /** Where backups are kept: an S3-compatible store or a folder; undefined for `backups` in `dataDir`. */
  backupUrl: string | undefined;
  /** How each archive of the site is encrypted; undefined for no encryption. */
  archiveEncryption: ArchiveEncryption | undefined;
  logLevel: z.output<typeof Environment>['LOG_LEVEL'];
};

/**
 * Adds the settings of the file `.env` in this folder to the environment, which takes precedence. Throws {@link
 * ConfigError}.
 */
export function loadSettingsFile(): void {
  if (!existsSync('.env')) return;
  try {
    loadEnvFile();
  } catch (error) {
    // Node.js reports every failure as a missing file. Without its settings this would be another site.
    throw new ConfigError(`The file ${resolve('.env')} cannot be read by this user.`, { cause: error });
  }
}

/** Reads the settings. Throws {@link ConfigError} with one sentence for the first one that is wrong. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  // An empty value means unset: `.env` files are often written that way.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const result = Environment.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}.`);
  }
  const values = result.data;
  const address = values.PUBLIC_URL ?? `http://${reachableHost(values.HOST)}:${values.PORT}`;
  // As headers and mails need it: the name of an international domain in ASCII.
  const publicUrl = new URL(address).href.replace(/\/+$/, '');
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    hasPublicUrl: values.PUBLIC_URL !== undefined,
    isSecure: publicUrl.startsWith('https:'),
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    role: values.ROLE,
    smtpUrl: values.SMTP_URL,
    confirmsFirst: values.SMTP_URL !== undefined && values.CONFIRM_EMAIL_FIRST === 'true',
    mailFrom: values.MAIL_FROM,
    trustedProxies: values.TRUSTED_PROXIES ?? parseProxies(''),
    hasTrustedProxies: values.TRUSTED_PROXIES !== undefined,
    drainMs: values.DRAIN_SECONDS * 1_000,
    keepAliveMs: values.KEEP_ALIVE_SECONDS * 1_000,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    siteTitle: values.SITE_TITLE,
    timeZone: values.SITE_TIMEZONE,
    filesUrl: values.FILES_URL,
    maxFileBytes: values.FILE_MAX_MIB * 1024 * 1024,
    filesQuotaBytes: values.FILES_QUOTA_MIB * 1024 * 1024,
    storageBucket: values.STORAGE_BUCKET,
    historyDays: values.HISTORY_DAYS === 'forever' ? undefined : values.HISTORY_DAYS,
    openid: openidOf(values),
    tokenMaxDays: values.TOKEN_MAX_DAYS,
    corsOrigins: values.CORS_ORIGINS,
    backupAt: values.BACKUP_AT,
    backupKeep: values.BACKUP_KEEP,
    backupUrl: values.BACKUP_URL,
    archiveEncryption: encryptionOf(values),
    logLevel: values.LOG_LEVEL,
  };
}

/** The settings of the provider, which must be set together: one alone would be a mistake without notice. */
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

/** The host by which this machine reaches a server that listens on `host`: `localhost` for all addresses. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
