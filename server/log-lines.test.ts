import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { logLines } from './log-lines.ts';
import { createLog } from './open-deps.ts';

it('the log is plain lines at a terminal, without secrets there, too', async () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const log = createLog(readConfig({}), await logLines(terminal));
  log.info({ request: { headers: { cookie: 'secret' } } }, 'Coterie is running');
  const line = stripVTControlCharacters(String(terminal.read()));
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Coterie is running/);
  expect(line).not.toContain('secret');
});

it('the log is JSON where the output is no terminal', async () => {
  expect(await logLines(new PassThrough())).toBeUndefined();
});
