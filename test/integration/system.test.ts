import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { answerError } from '../../server/http/errors.ts';
import { backupWarnings } from '../../server/moving/archive/backup-state.ts';
import { requireLocalDatabase } from '../../server/system/network-folder.ts';
import { warnings } from '../../server/system/warnings.ts';
import { program } from '../processes/built.ts';
import { siteEnvironment } from '../processes/site-environment.ts';
import { startProcess } from '../processes/start-server.ts';
import { describeEngines } from '../support/engines.ts';
import { shortPost } from '../support/factories.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();

describeEngines(({ site, siteWithAdmin }) => {
  const published = { PUBLIC_URL: 'https://blog.example', TRUSTED_PROXIES: '127.0.0.1' };
  const mailed = { SMTP_URL: 'smtp://mail.example' };

  it.each([
    [{}, []],
    [{ ...published, ...mailed }, []],
    [{ ...published, SMTP_URL: 'smtp://mail?requireTLS=false' }, ['Mails cross the network without TLS']],
    [published, ['Mails are written to a folder']],
    [{ PUBLIC_URL: 'http://blog.example', ...mailed }, ['Readers reach the site by http']],
    [{ PUBLIC_URL: 'http://localhost:3000', ...mailed }, []],
    [{ PUBLIC_URL: 'https://blog.example', ...mailed }, ['TRUSTED_PROXIES names no proxy']],
  ])('`coterie doctor` with the settings %j warns of %j', async (settings, expected) => {
    const { deps, config } = await site();
    const ofSite = readConfig({ ...settings, DATA_DIR: config.dataDir });
    const found = await warnings({ ...deps, config: ofSite }, async () => 2 ** 40);
    expect(found.map(sentence => expected.find(start => sentence.startsWith(start)))).toEqual(expected);
  });

  it('the page System names the database, and counts what waits', async () => {
    const [s, admin] = await siteWithAdmin();
    const created_at = Date.parse('2020-01-01T00:00:00Z');
    const mail = {
      id: 'x',
      once: 'x',
      kind: 'notice',
      user_id: admin.id,
      post_id: null,
      data: '{}',
    } as const;
    const queued = { state: 'queued', due_at: created_at, lease: null, leased_until: null } as const;
    await s.deps.db
      .insertInto('mails')
      .values({ ...mail, ...queued, created_at, done_at: null, error: null })
      .execute();
    expect(await s.call(admin, 'getSystemState', {})).toMatchObject({
      engine: expect.stringMatching(/^(SQLite|PostgreSQL) \d+/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      mails: { waiting: 1, oldestAt: '2020-01-01T00:00:00.000Z' },
      transfers: { waiting: 0, oldestAt: null },
      files: { waiting: 0, oldestAt: null },
      warnings: expect.any(Array),
    });
  });

  it('the page System names the ids of errors that nobody expected, and none of their words', async () => {
    const s = await site();
    const { body } = answerError(new TypeError('words of a member'), s.deps.log);
    const { errors } = await s.call(await s.admin(), 'getSystemState', {});
    expect(errors[0]).toEqual({ at: expect.any(String), id: body.error.details?.errorId, kind: 'TypeError' });
  });

  it('an export that is restored on trial is told on the page System', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'createPost', shortPost());
    const args = [program, 'export', '--rehearse'];
    execFileSync(process.execPath, args, { cwd: s.config.dataDir, env: siteEnvironment(s.config) });
    const { rehearsal, last } = await s.call(admin, 'getBackupState', {});
    expect([rehearsal, last]).toMatchObject([{ posts: 1, broken: 0 }, { posts: 1 }]);
  });

  it('a data folder that is not there yet is no failure', async () => {
    const { deps } = await site();
    const config = readConfig({ DATA_DIR: at('none/yet') });
    expect(await warnings({ ...deps, config })).toEqual([]);
  });

  it('a clock that jumps while the process runs is told', async () => {
    const { deps } = await site();
    const roomy = async () => 2 ** 40;
    for (const jumpMs of [-3_600_000, 3_600_000])
      expect(await warnings(deps, roomy, jumpMs)).toEqual([
        expect.stringMatching(/^The clock .* has jumped/),
      ]);
    expect(await warnings(deps, roomy)).toEqual([]);
  });

  it('a backup that is old or was not tried is told', async () => {
    const now = Date.parse('2026-01-08T00:00:00Z');
    const at = '2026-01-07T23:00:00.000Z';
    const counts = { bytes: 1, posts: 1, files: 0, missing: 0 };
    const last = { name: 'a.tar', where: null, createdAt: at, verifiedAt: at, openedBy: null, ...counts };
    const state = {
      last,
      exported: null,
      failure: null,
      unread: [],
      kept: [],
      rehearsal: null,
      restored: null,
    };
    const rehearsal = { at, posts: 1, seconds: 1, broken: 0 };
    const told = (changed: object, then = now) => backupWarnings({ ...state, ...changed }, '03:30', then);
    expect(told({ last: null })).toEqual([expect.stringMatching(/no recent backup/)]);
    expect(told({})).toEqual([expect.stringMatching(/on trial without problems/)]);
    expect(told({ rehearsal: { ...rehearsal, broken: 1 } })).toHaveLength(1);
    expect(told({ rehearsal })).toEqual([]);
    expect(told({ rehearsal }, now + 3 * 86_400_000)).toEqual([expect.stringMatching(/no recent backup/)]);
  });

  it('doctor warns of a full disk and a clock that is behind', async () => {
    const s = await site();
    await s.admin();
    const config = { ...s.config, hasPublicUrl: true, isSecure: true };
    const early = { ...s.deps, config, clock: () => Date.parse('2020-01-01T00:00:00Z') };
    await s.deps.db
      .insertInto('history')
      .values({
        id: 'x',
        at: Date.parse('2020-01-01T00:02:00Z'),
        kind: 'account-deleted',
        via: 'command-line',
        detail: '{}',
      })
      .execute();
    expect((await warnings(early, async () => 1_000)).join('\n')).toMatch(
      /nearly full[\s\S]*clock of this machine is behind/,
    );
  });
});

it('a new SQLite database on a network drive is refused; one that is there goes on', async () => {
  const nfs = async () => 0x6969;
  const ext4 = async () => 0xef53;
  const DATA_DIR = at('data');
  await expect(requireLocalDatabase(readConfig({ DATA_DIR }), nfs)).rejects.toThrow(
    `${DATA_DIR} is on a network drive (NFS), where a SQLite database can be damaged.`,
  );
  await expect(requireLocalDatabase(readConfig({ DATA_DIR }), ext4)).resolves.toBeUndefined();
  await expect(requireLocalDatabase(readConfig({ DATA_DIR }))).resolves.toBeUndefined();
  const onPostgres = readConfig({ DATABASE_URL: 'postgres://mina@db.example/coterie' });
  await expect(requireLocalDatabase(onPostgres, nfs)).resolves.toBeUndefined();
  await write({ 'data/coterie.db': '' });
  await expect(requireLocalDatabase(readConfig({ DATA_DIR }), nfs)).resolves.toBeUndefined();
});

it('a start tells the log what about its place should change', async () => {
  const settings = { DATA_DIR: at('data'), PUBLIC_URL: 'http://blog.example', LOG_LEVEL: 'warn' };
  const { child, ended } = await startProcess(settings);
  let said = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  // The first run of each job has begun, and the stop waits for its end.
  child.kill();
  await ended;
  expect(said).toContain('Readers reach the site by http');
  expect(said).toContain('There is no recent backup');
});
