import { chmod, readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { tellSystemd } from './systemd.ts';

const { at, write } = temporaryFolder();
const log = pino({ enabled: false });
afterEach(() => vi.unstubAllEnvs());

it('a service tells systemd that it is ready, and then that it lives', async () => {
  await write({ 'systemd-notify': `#!/bin/sh\necho "$1" >> ${at('told')}\n` });
  await chmod(at('systemd-notify'), 0o755);
  vi.stubEnv('PATH', `${at()}:${process.env.PATH}`);
  vi.stubEnv('NOTIFY_SOCKET', '/run/systemd/notify');
  vi.stubEnv('WATCHDOG_USEC', '20000');
  const stop = tellSystemd(log);
  await expect
    .poll(() => readFile(at('told'), 'utf8').catch(() => ''))
    .toMatch(/^READY=1\n(WATCHDOG=1\n){2}/);
  stop();
});

it('a process that systemd has not started tells it nothing', async () => {
  await write({ 'systemd-notify': `#!/bin/sh\ntouch ${at('told')}\n` });
  vi.stubEnv('PATH', at());
  vi.stubEnv('NOTIFY_SOCKET', undefined);
  tellSystemd(log)();
  await expect(readFile(at('told'))).rejects.toThrow('ENOENT');
});
