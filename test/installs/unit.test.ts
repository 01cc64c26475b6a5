import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();
const unit = readFileSync(join(import.meta.dirname, '../../deploy/coterie.service'), 'utf8');

it('the unit waits for its folders, takes away what the program does not need, and lets V8 compile', () => {
  const lines = unit.split('\n');
  for (const line of [
    'Type=notify',
    'OOMPolicy=continue',
    'RequiresMountsFor=/var/lib/coterie',
    'CapabilityBoundingSet=',
    'PrivateUsers=true',
    'ProtectProc=invisible',
    'RestrictNamespaces=true',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged',
  ])
    expect(lines).toContain(line);
  const names = lines.flatMap(line => /^(?!SystemCallFilter)(\w+)=/.exec(line)?.[1] ?? []);
  expect(names).toEqual([...new Set(names)]);
  // A just-in-time compiler needs it; and setpriority, for imports, is one of @resources.
  expect(unit).not.toMatch(/MemoryDenyWriteExecute|@resources/);
});

it('systemd rates the unit 2 or better, where this machine has systemd', async () => {
  await write({ 'coterie.service': unit });
  const args = ['security', '--offline=true', '--threshold=20', '--no-pager', at('coterie.service')];
  // It exits with 1 above the threshold, in tenths.
  const rating = existsSync('/usr/bin/systemd-analyze')
    ? execFileSync('/usr/bin/systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })
    : 'exposure level: none to measure here';
  expect(rating).toContain('exposure level');
});
