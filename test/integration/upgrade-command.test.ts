import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { recordedCalls } from '../../server/cli/upgrade/recorded-calls.ts';
import { readConfig } from '../../server/config.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { openSite } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { changing, migratingLater, sumOf, upgradeScene } from '../support/upgrade-scene.ts';

const { at } = temporaryFolder();
const { install, release } = upgradeScene(at);

/** Commands of a version on the site, not on a copy of it. */
const onSite = (dataDir: string, commands: string) => `[ "$DATA_DIR" != "${dataDir}" ] || { ${commands}; }`;

describeEngines(({ migrated, engine }) => {
  it('coterie upgrade compares two versions on copies of a site, names the reads that differ, and leaves the site alone', async () => {
    const { id, upgrade, whileRunning, linked, installed, backups } = await install(await migrated());
    const same = await release('1.1.0');
    expect(await upgrade(same, '--check')).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^Saved to .*\nBoth versions agree on a copy of the site: doctor, 2 reads by members, and 4 by visitors\.\n$/,
      ),
    });
    const title = "update posts set title = 'On seas' where title = 'On rivers'";
    const other = await release('1.2.0', { start: changing(title) });
    await whileRunning(async () => {
      const found = await upgrade(other);
      expect(found.code).toBe(1);
      expect(found.output).toContain(
        `DIFFERS getPost {"postId":"${id}"}, asked by a member: result.post.title`,
      );
      expect(found.output.match(/DIFFERS/g)).toHaveLength(2);
    });
    expect(await linked()).toBe('coterie-1.0.0-linux-x64');
    expect((await installed()).sort()).toEqual(['bin', 'coterie', 'coterie-1.0.0-linux-x64', 'releases']);
    expect((await backups()).filter(name => name.startsWith('.'))).toEqual([]);
  });

  if (engine === 'postgres')
    it('coterie upgrade does not switch PostgreSQL to another schema', async () => {
      const { upgrade, whileRunning, backups } = await install(await migrated());
      const later = await release('1.1.0', { version: `echo '{"schema":"9999-later"}'; exit` });
      await whileRunning(async () => {
        expect((await upgrade(later)).output).toContain('changes the schema of PostgreSQL');
      });
      expect(await backups()).toEqual([]);
    });
  if (engine === 'postgres') return;

  it('coterie upgrade switches to a version that agrees and gets ready', async () => {
    const { upgrade, whileRunning, titles, linked } = await install(await migrated());
    await whileRunning(async () => {
      const { code, output } = await upgrade(await release('1.1.0'));
      expect(output).toContain('coterie-1.1.0-linux-x64, and the site is ready.');
      expect(code).toBe(0);
      expect(await linked()).toBe(at('coterie-1.1.0-linux-x64'));
      expect(await titles()).toEqual(['On hills']);
    });
  });

  it('coterie upgrade goes back to the database of before a migration where the new version does not get ready', async () => {
    const place = await migrated();
    const { upgrade, whileRunning, titles, linked } = await install(place);
    const spoiling = changing("update posts set title = 'Spoilt'");
    const commands = `${migratingLater} && ${spoiling}; exit 1`;
    const broken = await release('1.1.0', { start: onSite(place.dataDir, commands) });
    await whileRunning(async () => {
      const { code, output } = await upgrade(broken);
      expect(output).toContain('its database is as it was before the migration');
      expect(code).toBe(1);
      expect(await linked()).toBe('coterie-1.0.0-linux-x64');
      expect(await titles()).toEqual(['On hills']);
    });
  });

  it('coterie upgrade goes back without the loss of a write where the new version has not migrated', async () => {
    const place = await migrated();
    const { upgrade, whileRunning, titles, linked } = await install(place);
    const commands = `${changing("update posts set title = 'On lakes'")}; exit 1`;
    const broken = await release('1.1.0', { start: onSite(place.dataDir, commands) });
    await whileRunning(async () => {
      const { code, output } = await upgrade(broken);
      expect(output).toContain('nothing that was written is lost');
      expect(code).toBe(1);
      expect(await linked()).toBe('coterie-1.0.0-linux-x64');
      expect(await titles()).toEqual(['On lakes']);
    });
  });

  it('coterie upgrade refuses what it could not switch to or judge before it saves the site', async () => {
    const { upgrade, whileRunning, linked, backups } = await install(await migrated());
    const next = await release('1.1.0');
    expect((await upgrade(next)).output).toContain('The service coterie does not run.');
    expect((await upgrade(next, '--link', at('none'), '--check')).output).toContain('There is no program in');
    expect((await upgrade(next, '--within', '5m')).output).toContain('It is a number of seconds.');
    await whileRunning(async () => {
      expect((await upgrade(next, '--service', 'other')).output).toContain('The service other does not run.');
      expect((await upgrade(await release('1.0.0'))).output).toContain('is this version already');
      await writeFile(at('none.tar.gz'), 'not packed');
      const refused = await upgrade(at('none.tar.gz'), '--sha256', await sumOf(at('none.tar.gz')));
      expect(refused.output).toContain('cannot be unpacked');
      await writeFile(at('releases/SHA256SUMS'), `${'0'.repeat(64)}  coterie-1.1.0-linux-x64.tar.gz\n`);
      expect((await upgrade(next)).output).toContain('its check sum differs');
    });
    expect(await linked()).toBe('coterie-1.0.0-linux-x64');
    expect(await backups()).toEqual([]);
  });

  it('coterie upgrade asks only a site that answers where the command expects it', async () => {
    const { upgrade, whileRunning, backups } = await install(await migrated());
    await whileRunning(
      async () => {
        expect((await upgrade(await release('1.1.0'))).output).toContain('The site is not ready at');
      },
      { PORT: String(await freePort()) },
    );
    expect(await backups()).toEqual([]);
  });

  it('coterie upgrade replaces no folder of a program with other files', async () => {
    const { upgrade, whileRunning, installed } = await install(await migrated());
    const other = await release('1.1.0');
    execFileSync('mv', [at('releases/coterie-1.1.0-linux-x64'), at('.')]);
    await writeFile(at('coterie-1.1.0-linux-x64/mine'), '');
    await whileRunning(async () => {
      expect((await upgrade(other)).output).toContain('exists with other files');
    });
    expect(await readFile(at('coterie-1.1.0-linux-x64/mine'), 'utf8')).toBe('');
    expect((await installed()).filter(name => name.startsWith('.'))).toEqual([]);
  });

  it('coterie upgrade names a doctor that fails as a difference', async () => {
    const { upgrade } = await install(await migrated());
    const crashing = await release('1.1.0', { doctor: 'echo out of memory >&2; exit 134' });
    expect(await upgrade(crashing, '--check')).toMatchObject({
      code: 1,
      output: expect.stringContaining('DIFFERS doctor: it fails: out of memory'),
    });
  });

  it('coterie upgrade stops where files are missing that the last backup had', async () => {
    const place = await migrated();
    const { upgrade } = await install(place);
    const site = await openSite(place);
    const author = await site.member([], 'author');
    await makeAdmin(site.deps, author.id);
    const { id } = await upload(site, author, 'a.txt', 'one');
    await site.deps.files.remove(id);
    await site.close();
    const { code, output } = await upgrade(await release('1.1.0'), '--check');
    expect(output).toContain('The bytes of 1 file were not there, 0 at the backup before');
    expect(code).toBe(2);
  });

  it('coterie upgrade leaves no copy and no process where it is ended', async () => {
    const { beginUpgrade, installed, backups } = await install(await migrated());
    execFileSync('mkfifo', [at('held')]);
    const waiting = await release('1.1.0', { start: `exec sleep infinity > ${at('held')}` });
    const { end } = beginUpgrade(waiting, '--check');
    // Opens once the other version has opened it, and ends with that process.
    const held = createReadStream(at('held')).resume();
    await once(held, 'open');
    const ended = once(held, 'end');
    await end();
    await ended;
    expect((await backups()).filter(name => name.startsWith('.'))).toEqual([]);
    expect((await installed()).filter(name => name.startsWith('.'))).toEqual([]);
  });

  it('coterie upgrade asks as much as a visitor as for members, who may have opened many posts or none', async () => {
    const place = await migrated();
    const site = await openSite(place);
    const [admin, member] = [await site.admin(), await site.member()];
    const posts = Array.from({ length: 60 }, (_, index) => shortPost(`Post ${index}`));
    const postIds = await publish(site, admin, ...posts);
    const copy = readConfig({ DATA_DIR: place.dataDir });
    const count = async () => {
      const { byMembers, byVisitors } = await recordedCalls(copy);
      return [byMembers.length, byVisitors.length];
    };
    expect(await count()).toEqual([25, 25]);
    await site.call(member, 'noteOpened', { postIds });
    await site.close();
    expect(await count()).toEqual([25, 25]);
  });
});
