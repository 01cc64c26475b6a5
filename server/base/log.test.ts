import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { createLog } from './log.ts';

it('the log is plain lines at a terminal, without secrets there, too', async () => {
  const terminal = new PassThrough();
  const log = await createLog(readConfig({}), terminal);
  log.info({ request: { headers: { cookie: 'secret' } } }, 'Coterie is running');
  const line = stripVTControlCharacters(String(terminal.read()));
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Coterie is running/);
  expect(line).not.toContain('secret');
});
