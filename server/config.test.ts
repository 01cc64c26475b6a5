import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('settings', () => {
  it('need nothing', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      publicUrl: 'http://localhost:3000',
      isSecure: false,
      timeZone: 'UTC',
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
    [{ PORT: 'many' }, 'PORT must be a port number.'],
    [{ PORT: '70000' }, 'PORT must be a port number.'],
    [{ PUBLIC_URL: 'blog.example' }, 'PUBLIC_URL must look like https://blog.example.'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must look like postgres://user:password@host/database.'],
    [{ SITE_TIMEZONE: 'Vienna' }, 'SITE_TIMEZONE must be a time zone name such as Europe/Vienna.'],
  ])('refuse %j with one sentence', (environment, sentence) => {
    expect(() => readConfig(environment)).toThrow(new ConfigError(sentence));
  });
});
