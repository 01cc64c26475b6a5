import { isIPv6 } from 'node:net';
import { bech32 } from '@scure/base';
import { z } from 'zod';
import { passphraseMinCharacters } from '../contract/constants.ts';
import { isPublicKey } from './base/minisign.ts';
import { parseNetworks } from './base/networks.ts';
import { isPostgresUrl } from './db/postgres-hosts.ts';
import { readDkimKey } from './mail/dkim.ts';

const url = (protocols: readonly string[], example: string) =>
  z
    .string()
    .refine(
      text => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must look like ${example}`,
    );
/** A site is at the root of its address. */
const siteUrl = url(['http:', 'https:'], 'https://blog.example').refine(text => {
  const site = URL.parse(text);
  return site?.href.replace(/\/+$/, '') === site?.origin;
}, 'must have nothing after the host, as in https://blog.example');
const host = z
  .string()
  .refine(
    text => isIPv6(text) || URL.canParse(`http://${text}`),
    'must be a host name or an address such as 127.0.0.1',
  );
const postgresUrl = z.string().refine(isPostgresUrl, 'must look like postgres://user:password@host/database');
/** An S3-compatible store; `s3Store` parses the rest of the address. */
const bucketUrl = url(['s3:'], 's3://key:secret@s3.example/bucket?region=eu-central-1').refine(
  text => /^\/+[^/]/.test(URL.parse(text)?.pathname ?? '/x'),
  'must name a bucket after the host, as in s3://key:secret@s3.example/bucket',
);
/** An S3-compatible store, or a folder. */
const backupUrl = z.union([bucketUrl, z.string().regex(/^(?!\w+:\/\/)/)], {
  error: 'must be a folder, or look like s3://key:secret@s3.example/bucket',
});
const isLoopback = ({ hostname }: URL) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
const issuerUrl = url(['https:', 'http:'], 'https://login.example').refine(
  text => URL.parse(text)?.protocol !== 'http:' || isLoopback(new URL(text)),
  'must begin with https://',
);
const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0, 'must be a port number')
  .max(65_535, 'must be a port number');

/** Addresses and networks, separated by commas. */
const networks = z.string().transform((text, context) => {
  try {
    return parseNetworks(text);
  } catch {
    context.addIssue('must list addresses or networks such as 10.0.0.0/8');
    return z.NEVER;
  }
});
/** A whole number from `least` up; `sentence` is the error. */
const count = (sentence: string, least = 1) => z.coerce.number(sentence).int(sentence).min(least, sentence);
const mebibytes = count('must be a whole number of MiB from 1 up');
const wholeNumber = count('must be a whole number from 1 up');
/**
 * The least is long enough that nobody can hide a decision by waiting; the default covers the time in which
 * questions are likely.
 */
const leastHistoryDays = 30;
const defaultHistoryDays = 730;
const daysOrForever = `must be a whole number of days from ${leastHistoryDays} up, or forever`;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** Origins of pages elsewhere whose scripts may use the API, separated by commas. */
const origins = z
  .string()
  .transform(text => text.split(',').map(origin => origin.trim().replace(/\/+$/, '')))
  .refine(
    list => list.every(origin => URL.canParse(origin) && new URL(origin).origin === origin),
    'must be origins such as https://app.example, separated by commas',
  );

/**
 * Public keys of age (https://age-encryption.org/v1), separated by commas; their check sums reveal typing
 * errors.
 */
const recipients = z
  .string()
  .transform(text => text.split(',').map(key => key.trim()))
  .refine(
    keys => keys.every(key => /^age1/.test(key) && bech32.decodeUnsafe(key, false) !== undefined),
    'must be public keys of age such as age1..., separated by commas',
  );

/**
 * What the environment and `.env` set, besides the settings of the site (contract/site-settings.ts).
 * docs/hosting.md documents all of them in one table.
 */
export const Environment = z.object({
  PORT: port.default(3000),
  HOST: host.default('localhost'),
  PUBLIC_URL: siteUrl.optional(),
  DATA_DIR: z.string().min(1).default('data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_CONNECTIONS: count('must be a whole number from 2 up', 2).default(5),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  SMTP_URL: url(['smtp:', 'smtps:'], 'smtps://user:password@mail.example').optional(),
  CONFIRM_EMAIL_FIRST: z.enum(['true', 'false'], 'must be true or false').default('true'),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address such as Mina Harker <mina@blog.example>',
    )
    .optional(),
  MAIL_REPLY_ADDRESS: z
    .string()
    .regex(/^[^<>@\s{}]*\{\}@[^<>@\s{}]+$/, 'must look like reply+{}@blog.example')
    .optional(),
  MAIL_DKIM_KEY: z
    .string()
    .transform(text => readDkimKey(text))
    .refine(key => key !== undefined, 'must be a private RSA key, as “coterie mail key” makes it')
    .optional(),
  MAIL_INBOX_URL: url(['imap:', 'imaps:'], 'imaps://user:password@mail.example').optional(),
  TRUSTED_PROXIES: networks.optional(),
  DRAIN_SECONDS: count('must be a whole number of seconds from 0 up', 0).default(0),
  KEEP_ALIVE_SECONDS: count('must be a whole number of seconds from 1 up').default(10),
  MAX_CONNECTIONS: wholeNumber.default(20_000),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber.default(1_000),
  FILES_URL: bucketUrl.optional(),
  FILES_QUOTA_MIB: mebibytes.default(20_480),
  STORAGE_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,221}$/, 'must be a bucket name such as coterie')
    .default('coterie'),
  HISTORY_DAYS: z
    .union([z.literal('forever'), count(daysOrForever, leastHistoryDays)], daysOrForever)
    .default(defaultHistoryDays),
  OIDC_ISSUER: issuerUrl.optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().trim().min(1).max(40, 'must have at most 40 characters').optional(),
  OIDC_TAGS_CLAIM: z.string().min(1).optional(),
  TOKEN_MAX_DAYS: count('must be a whole number of days from 1 up').optional(),
  CORS_ORIGINS: origins.default([]),
  BACKUP_URL: backupUrl.optional(),
  BACKUP_RECIPIENTS: recipients.optional(),
  BACKUP_PASSPHRASE: z
    .string()
    .min(passphraseMinCharacters, `must have at least ${passphraseMinCharacters} characters`)
    .optional(),
  WEBHOOK_NETWORKS: networks.optional(),
  // `fetch` refuses an address with a user name, and its message contains the address.
  ADVISORIES_URL: url(['http:', 'https:'], 'https://releases.example/advisories.json')
    .refine(text => !/^[^/]*\/\/[^/]*@/.test(text), 'must name no user')
    .optional(),
  RELEASE_KEY: z
    .string()
    .refine(isPublicKey, 'must be a public key of minisign: the second line of minisign.pub')
    .optional(),
  METRICS_PORT: port.optional(),
  METRICS_HOST: host.default('127.0.0.1'),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** Settings with a password or a key, which no output shows. */
export const secretSettings: ReadonlySet<string> = new Set<keyof typeof Environment.shape>([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SMTP_URL',
  'MAIL_INBOX_URL',
  'MAIL_DKIM_KEY',
  'FILES_URL',
  'OIDC_CLIENT_SECRET',
  'BACKUP_URL',
  'BACKUP_PASSPHRASE',
  'ADVISORIES_URL',
]);
