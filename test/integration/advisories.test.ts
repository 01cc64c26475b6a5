import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { advisoryWarnings } from '../../server/system/advisories.ts';
import { listen } from '../support/listen.ts';

type Event = Partial<Record<'introduced' | 'fixed' | 'last_affected', string>>;
const advisory = (id: string, events: readonly Event[], name = 'coterie') => ({
  schema_version: '1.7.0',
  id,
  summary: `About ${id}.`,
  modified: '2026-11-26T00:00:00Z',
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
});

/** What is said of version 1.4.0 where the list at the address is this. */
async function saidOf(list: unknown, status = 200): Promise<string[]> {
  const text = typeof list === 'string' ? list : JSON.stringify(list);
  const server = createServer((_, answer) => answer.writeHead(status).end(text));
  await listen(server);
  try {
    const { port } = server.address() as AddressInfo;
    return await advisoryWarnings({ advisoriesUrl: `http://127.0.0.1:${port}/list.json` }, '1.4.0');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('the vulnerabilities of this version are told, with the version that mends each', async () => {
  const list = [
    advisory('V-1', [{ introduced: '0' }, { fixed: '1.4.1' }]),
    advisory('V-2', [{ fixed: '1.4.0' }, { introduced: '1.0.0' }]),
    advisory('V-3', [{ introduced: '1.5.0' }]),
    advisory('V-4', [{ introduced: '0' }], 'other'),
    advisory('V-5', [{ introduced: '0' }, { last_affected: '1.4.0' }]),
    advisory('V-6', [
      { introduced: '2.0.0' },
      { fixed: '1.2.0' },
      { introduced: '1.3.0' },
      { fixed: '1.6.0' },
    ]),
    { ...advisory('V-7', [{ introduced: '0' }]), withdrawn: '2026-11-26T00:00:00Z' },
    { id: 'V-8', affected: [{ package: { ecosystem: 'npm', name: 'coterie' }, versions: ['1.4.0'] }] },
  ];
  const expected = [
    'This version of Coterie has a known vulnerability: V-1, About V-1. Upgrade to 1.4.1 or newer.',
    'This version of Coterie has a known vulnerability: V-5, About V-5.',
    'This version of Coterie has a known vulnerability: V-6, About V-6. Upgrade to 1.6.0 or newer.',
    'This version of Coterie has a known vulnerability: V-8.',
  ];
  expect(await saidOf(list)).toEqual(expected);
  expect(await saidOf({ vulns: list })).toEqual(expected);
  expect(await saidOf({})).toEqual([]);
});

it.each([
  ['is no JSON', '<!doctype html>', 200],
  ['has another form', { vulns: 'none' }, 200],
  ['is not there', [], 404],
  ['is too large', ' '.repeat(2 * 1024 ** 2), 200],
  ['names no version', [advisory('V-1', [{ introduced: 'first' }])], 200],
])('a list that %s is said to tell nothing', async (_, list, status) => {
  expect(await saidOf(list, status)).toEqual([
    expect.stringMatching(/^Known vulnerabilities were not looked up: /),
  ]);
});

it('nobody is asked where no list is set', async () => {
  expect(await advisoryWarnings({ advisoriesUrl: undefined }, '1.4.0')).toEqual([]);
});
