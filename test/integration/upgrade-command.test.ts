import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { environment, program } from '../processes/built.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { type Location, openSite } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = join(inject('programs'), 'test-server.js');
const node = process.execPath;
const { at } = temporaryFolder();

/** systemctl of a machine whose one service tells when it is ready. */
const systemctl = `#!${node}
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const note = __filename + '.pid';
const lives = pid => { try { return !/^State:\\s+Z/m.test(readFileSync('/proc/' + pid + '/status', 'utf8')); } catch { return false; } };
(async () => {
  if (process.argv[2] === 'stop') {
    const pid = Number(readFileSync(note, 'utf8'));
    if (lives(pid)) process.kill(pid);
    while (lives(pid)) await sleep(20);
    return;
  }
  const child = spawn(__dirname + '/../coterie/coterie', ['start'], { detached: true, stdio: 'ignore' });
  child.on('exit', () => process.exit(1));
  writeFileSync(note, String(child.pid));
  const url = 'http://127.0.0.1:' + process.env.PORT + '/readyz';
  while (!(await fetch(url).then(answer => answer.ok, () => false))) await sleep(20);
  process.exit(0);
})();
`;

/** A program, which does \`first\` before it starts, as it lies in its folder. */
async function makeVersion(folder: string, name: string, first = ''): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  const start = `if [ "$1" = start ]; then\n${first}\nexec ${node} ${server}\nfi\n`;
  const script = `#!/bin/sh\n${start}exec ${node} ${program} "$@"\n`;
  await writeFile(join(folder, name, 'coterie'), script, { mode: 0o755 });
}

/** The archive of another version, with its check sum. */
async function release(name: string, first?: string): Promise<string> {
  await makeVersion(at('releases'), name, first);
  const file = at(`releases/${name}.tar.gz`);
  execFileSync('tar', ['-czf', file, '-C', at('releases'), name]);
  const sum = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  await writeFile(at('releases/SHA256SUMS'), `${sum}  ${name}.tar.gz\n`);
  return file;
}

const changing = (sql: string) =>
  `${node} -e "new (require('node:sqlite').DatabaseSync)(process.env.DATA_DIR + '/coterie.db').exec(\\"${sql}\\")"`;

/** A site that a service runs from an archive, with a post that a member has opened. */
async function install({ dataDir, databaseUrl }: Location) {
  const site = await openSite({ dataDir, databaseUrl });
  const [admin, member] = [await site.admin(), await site.member(['friends'])];
  const [id = ''] = await publish(site, admin, essay({ title: 'On rivers', tags: ['friends'] }));
  await site.call(member, 'noteOpened', { postIds: [id] });
  await publish(site, admin, essay({ title: 'On hills' }));
  await site.close();
  await makeVersion(at('.'), 'coterie-1.0.0-linux-x64');
  await symlink('coterie-1.0.0-linux-x64', at('coterie'));
  await mkdir(at('bin'));
  await writeFile(at('bin/systemctl'), systemctl, { mode: 0o755 });
  const port = String(await freePort());
  const env = {
    ...environment,
    PATH: `${at('bin')}:${process.env.PATH}`,
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    HOST: '127.0.0.1',
    PORT: port,
    LOG_LEVEL: 'silent',
  };
  const run = (command: string, args: string[]) =>
    promisify(execFile)(command, args, { env }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
    );
  return {
    id,
    upgrade: (...args: string[]) => run(node, [program, 'upgrade', '--link', at('coterie'), ...args]),
    service: (what: 'start' | 'stop') => run(at('bin/systemctl'), [what, 'coterie']),
    titles: async () => {
      const headers = { 'content-type': 'application/json' };
      const asked = { method: 'POST', headers, body: '{"data":{}}' };
      const answer = await fetch(`http://127.0.0.1:${port}/api/getPosts`, asked);
      return (await answer.json()).result.posts.map((post: { title: string }) => post.title);
    },
  };
}

describeEngines('coterie upgrade', ({ migrated, engine }) => {
  it('compares two versions on copies of a site, names the reads that differ, and leaves the site alone', async () => {
    const place = await migrated();
    const { id, upgrade } = await install(place);
    const same = await release('coterie-1.1.0-linux-x64');
    expect(await upgrade(same, '--check')).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^Saved to .*\nBoth versions agree: doctor, and 6 reads on a copy of the site\.\n$/,
      ),
    });
    expect(await readlink(at('coterie'))).toBe('coterie-1.0.0-linux-x64');
    expect(await readdir(at('.'))).not.toContain('coterie-1.1.0-linux-x64');
    const other = await release(
      'coterie-1.2.0-linux-x64',
      changing("update posts set title = 'On seas' where title = 'On rivers'"),
    );
    const found = await upgrade(other);
    expect(found.code).toBe(1);
    expect(found.output).toContain(
      `DIFFERS getPost {"postId":"${id}"}, asked by a member: result.post.title`,
    );
    expect(found.output.match(/DIFFERS/g)).toHaveLength(2);
    await writeFile(at('releases/SHA256SUMS'), `${'0'.repeat(64)}  coterie-1.2.0-linux-x64.tar.gz\n`);
    expect((await upgrade(other, '--check')).output).toContain('its check sum differs');
    expect(
      (await readdir(join(place.dataDir, 'backups'))).filter(name => name.startsWith('.upgrade')),
    ).toEqual([]);
  });

  if (engine === 'sqlite')
    it('a version that does not get ready gives the place back, with the database as it was; a good one stays', async () => {
      const place = await migrated();
      const { upgrade, service, titles } = await install(place);
      const breaking = `${changing('delete from likes; delete from post_files; update posts set published_at = null')}; exit 1`;
      const broken = await release(
        'coterie-1.1.0-linux-x64',
        `[ "$DATA_DIR" != "${place.dataDir}" ] || { ${breaking}; }`,
      );
      await service('start');
      try {
        const gone = await upgrade(broken);
        expect(gone.output).toContain('The site runs with the version and the database of before.');
        expect(gone.code).toBe(1);
        expect(await readlink(at('coterie'))).toBe('coterie-1.0.0-linux-x64');
        expect(await titles()).toEqual(['On hills']);
        const good = await release('coterie-1.2.0-linux-x64');
        expect((await upgrade(good)).output).toContain('coterie-1.2.0-linux-x64, and the site is ready.');
        expect(await readlink(at('coterie'))).toBe('coterie-1.2.0-linux-x64');
        expect(await titles()).toEqual(['On hills']);
        expect((await readdir(place.dataDir)).filter(name => name.includes('before-upgrade'))).toEqual([]);
      } finally {
        await service('stop');
      }
    });
});
