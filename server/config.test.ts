import { describe, expect, it } from 'vitest';
import { ConfigError } from './base/config-error.ts';
import { readConfig } from './config.ts';

describe('settings', () => {
  it('need nothing', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      publicUrl: 'http://localhost:3000',
      isSecure: false,
      fixedSettings: {},
    });
  });

  it('take an empty value for none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  it('bind cookies to https where the site is served so', () => {
    expect(readConfig({ PUBLIC_URL: 'https://blog.example/' })).toMatchObject({
      publicUrl: 'https://blog.example',
      isSecure: true,
    });
  });

  it.each([
    ['0.0.0.0', 'localhost'],
    ['::', 'localhost'],
    ['::1', '[::1]'],
    ['127.0.0.1', '127.0.0.1'],
  ])('name an address by which who listens on %s is reached', (HOST, host) => {
    expect(readConfig({ HOST, PORT: '3001' }).publicUrl).toBe(`http://${host}:3001`);
  });

  it.each(['s3://host/bucket', 's3://key:secret@host:9000/bucket/folder?region=R&http=1', 's3:///bucket'])(
    'take %s for a store of files',
    FILES_URL => {
      expect(readConfig({ FILES_URL }).filesUrl).toBe(FILES_URL);
    },
  );

  it.each([
    [{ PORT: 'many' }, 'PORT must be a port number.'],
    [{ PORT: '70000' }, 'PORT must be a port number.'],
    [{ PUBLIC_URL: 'blog.example' }, 'PUBLIC_URL must look like https://blog.example.'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must look like postgres://user:password@host/database.'],
    [{ MAX_CONNECTIONS: 'many' }, 'MAX_CONNECTIONS must be a whole number from 1 up.'],
    [{ FILE_MAX_MIB: '0' }, 'FILE_MAX_MIB must be a whole number of MiB from 1 up.'],
    [{ MAIL_FROM: 'Mina' }, 'MAIL_FROM must be an address such as Mina Harker <mina@blog.example>.'],
    [{ SITE_TITLE: 'x'.repeat(101) }, 'SITE_TITLE must have at most 100 characters.'],
    [
      { FILES_URL: 's3://key:secret@host' },
      'FILES_URL must name a bucket after the host, as in s3://key:secret@s3.example/bucket.',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.'],
    [{ SITE_TIMEZONE: 'Vienna' }, 'SITE_TIMEZONE must be a time zone name such as Europe/Vienna.'],
  ])('refuse %j with one sentence', (environment, sentence) => {
    expect(() => readConfig(environment)).toThrow(new ConfigError(sentence));
  });
});
