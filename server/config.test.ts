import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { ConfigError } from './base/config-error.ts';
import { settingLines } from './cli/config.ts';
import { readConfig } from './config.ts';
import { Environment, secretSettings } from './environment.ts';

const { at, write } = temporaryFolder();

it('a config needs no variables', () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    publicUrl: 'http://localhost:3000',
    isSecure: false,
    fixedSettings: {},
  });
});

it('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: undefined });
});

it('settings bind cookies to https where the site is served so', () => {
  expect(readConfig({ PUBLIC_URL: 'https://blog.example/' })).toMatchObject({
    publicUrl: 'https://blog.example',
    isSecure: true,
  });
});

it.each([
  ['0.0.0.0', 'localhost', '127.0.0.1'],
  ['::', 'localhost', '[::1]'],
  ['::1', '[::1]', '[::1]'],
  ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
])('settings name an address by which who listens on %s is reached', (HOST, host, own) => {
  const { publicUrl, ownUrl } = readConfig({ HOST, PORT: '3001' });
  expect([publicUrl, ownUrl]).toEqual([`http://${host}:3001`, `http://${own}:3001`]);
});

it.each(['s3://host/bucket', 's3://key:secret@host:9000/bucket/folder?region=R&http=1', 's3:///bucket'])(
  'settings take %s for a store of files',
  FILES_URL => {
    expect(readConfig({ FILES_URL }).filesUrl).toBe(FILES_URL);
  },
);

it.each([
  [{ PORT: 'many' }, 'PORT must be a port number.'],
  [{ PORT: '70000' }, 'PORT must be a port number.'],
  [{ PUBLIC_URL: 'blog.example' }, 'PUBLIC_URL must look like https://blog.example.'],
  [
    { PUBLIC_URL: 'https://blog.example/notes' },
    'PUBLIC_URL must have nothing after the host, as in https://blog.example.',
  ],
  [
    { PUBLIC_URL: 'https://mina:secret@blog.example' },
    'PUBLIC_URL must have nothing after the host, as in https://blog.example.',
  ],
  [{ HOST: 'a b' }, 'HOST must be a host name or an address such as 127.0.0.1.'],
  [{ HISTORY_DAYS: '3' }, 'HISTORY_DAYS must be a whole number of days from 30 up, or forever.'],
  [{ ADVISORIES_URL: 'https://:secret@releases.example/' }, 'ADVISORIES_URL must name no user.'],
  [
    { RELEASE_KEY: 'minisign.pub' },
    'RELEASE_KEY must be a public key of minisign: the second line of minisign.pub.',
  ],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must look like postgres://user:password@host/database.'],
  [{ MAX_CONNECTIONS: 'many' }, 'MAX_CONNECTIONS must be a whole number from 1 up.'],
  [{ FILE_MAX_MIB: '0' }, 'FILE_MAX_MIB must be a whole number of MB from 1 up.'],
  [{ MAIL_FROM: 'Mina' }, 'MAIL_FROM must be an address such as Mina Harker <mina@blog.example>.'],
  [{ SITE_TITLE: 'x'.repeat(101) }, 'SITE_TITLE must have at most 100 characters.'],
  [
    { FILES_URL: 's3://key:secret@host' },
    'FILES_URL must name a bucket after the host, as in s3://key:secret@s3.example/bucket.',
  ],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.'],
  [{ SITE_TIMEZONE: 'Vienna' }, 'SITE_TIMEZONE must be a time zone name such as Europe/Vienna.'],
])('settings refuse %j with one sentence', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(new ConfigError(sentence));
});

it('settings are read from the file that NAME_FILE names, without the line feed at its end', async () => {
  await write({ mail: 'smtps://mina:secret@mail.example\n', title: 'Notes of Mina' });
  const { smtpUrl, fixedSettings } = readConfig({
    SMTP_URL_FILE: at('mail'),
    SITE_TITLE_FILE: at('title'),
  });
  expect([smtpUrl, fixedSettings]).toEqual(['smtps://mina:secret@mail.example', { title: 'Notes of Mina' }]);
});

it('settings are read from the credentials of systemd', async () => {
  await write({ BACKUP_PASSPHRASE: 'a long passphrase\n' });
  const CREDENTIALS_DIRECTORY = dirname(at('BACKUP_PASSPHRASE'));
  expect(readConfig({ CREDENTIALS_DIRECTORY }).archiveEncryption).toEqual({
    passphrase: 'a long passphrase',
  });
  expect(readConfig({ CREDENTIALS_DIRECTORY }, { LOG_LEVEL: 'warn' }).logLevel).toBe('warn');
});

it('settings are refused where a setting is set twice, or its file cannot be read', async () => {
  await write({ level: 'warn' });
  expect(() => readConfig({ LOG_LEVEL: 'info', LOG_LEVEL_FILE: at('level') })).toThrow(
    `LOG_LEVEL is set twice, by the environment and by ${at('level')}: remove one of them.`,
  );
  expect(() => readConfig({ LOG_LEVEL_FILE: at('nothing') })).toThrow(
    `LOG_LEVEL_FILE is ${at('nothing')}, which does not exist.`,
  );
});

it('settings are refused where a credential cannot be read', async () => {
  await write({ 'credentials/LOG_LEVEL/folder': '' });
  const CREDENTIALS_DIRECTORY = at('credentials');
  expect(() => readConfig({ CREDENTIALS_DIRECTORY })).toThrow(
    `The credential ${at('credentials/LOG_LEVEL')} cannot be read by this user.`,
  );
});

it('settings are secrets where they may hold a password or a key', () => {
  const mayHold = Object.keys(Environment.shape).filter(name => /_URL$|_KEY$|SECRET|PASS/.test(name));
  expect(mayHold.filter(name => !secretSettings.has(name))).toEqual(['PUBLIC_URL', 'RELEASE_KEY']);
});

it('settings are listed with their sources and without their secrets', async () => {
  await write({ 'settings/database': 'postgres://mina:se?cr/et@db.example/coterie?sslmode=verify-full' });
  const lines = settingLines({
    DATABASE_URL_FILE: at('settings/database'),
    BACKUP_URL: '/mnt/backups',
    BACKUP_PASSPHRASE: 'secret://passphrase',
    SMTP_URL: 'smtp://a@b:secret@mail.example',
    FILES_URL: 's3://key:secret@host/bucket?region=R',
    SITE_TITLE: 'Notes',
  }).map(line => line.replace(/ {2,}/, ' '));
  expect(lines).toEqual(
    expect.arrayContaining([
      'PORT 3000  (default)',
      `DATABASE_URL postgres://***@db.example/coterie?***  (${at('settings/database')})`,
      'BACKUP_URL /mnt/backups  (the environment)',
      'BACKUP_PASSPHRASE ***  (the environment)',
      'SMTP_URL ***  (the environment)',
      'FILES_URL s3://***@host/bucket?***  (the environment)',
      'SITE_TITLE Notes  (the environment)',
      'SITE_TIMEZONE (Admin, Settings)',
    ]),
  );
  expect(lines.join()).not.toMatch(/secret|se\?cr/);
});
