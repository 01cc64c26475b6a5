import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { encrypting } from '../../server/moving/archive/encryption.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { environment, program } from '../processes/built.ts';
import { describeEngines } from '../support/engines.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Location, openSite } from '../support/site.ts';

const fixture = join(import.meta.dirname, '../releases/0.1.0.tar');

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Starts a command on the site at a place. */
function coterie(
  { dataDir, databaseUrl }: Location,
  args: string[],
  killing: { options: string[]; env: Record<string, string> } = { options: [], env: {} },
): ChildProcess {
  const env = { ...environment, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ...killing.env };
  const all = [...killing.options, program, ...args];
  return spawn(process.execPath, all, { cwd: dataDir, env, stdio: 'ignore' });
}

async function newKey() {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** What restores the archive of the fixture, encrypted. */
async function encryptedFixture(): Promise<string[]> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-kills-'));
  folders.push(folder);
  const [file, keyFile] = [join(folder, 'site.tar.age'), join(folder, 'key.txt')];
  const { identity, recipient } = await newKey();
  await writeFile(keyFile, identity);
  const { encrypt } = await encrypting({ recipients: [recipient] });
  await writeFile(file, encrypt((await archiveFile(fixture)).open()));
  return ['restore', '--keep-access', file, '--identity', keyFile];
}

/** How much of each kind a site has, after an examination. */
async function contentOf(place: Location) {
  const opened = await openSite(place);
  try {
    expect(await examine(opened.deps)).toEqual([]);
    const { manifest } = await exportSite(opened.deps, join(place.dataDir, 'again.tar'));
    const rows = Object.entries(manifest.kinds).map(([kind, { rows }]) => [kind, rows]);
    return { rows, files: manifest.files };
  } finally {
    await opened.close();
  }
}

/**
 * Runs a command on a site, killed before the nth thing that it does in a folder. Resolves with whether it
 * has come so far.
 */
async function killAt(place: Location, args: string[], folder: string, nth: number): Promise<boolean> {
  const options = ['--import', new URL('../processes/kill-at.ts', import.meta.url).href];
  const child = coterie(place, args, { options, env: { KILL_IN: folder, KILL_AT: String(nth) } });
  const [, signal] = await once(child, 'exit');
  return signal === 'SIGKILL';
}

describeEngines(({ location, site }) => {
  it.each(['an archive', 'an encrypted archive'])(
    'a second restore ends a restore of %s that was killed again and again as if it had not been',
    async what => {
      const place = await location();
      const restoring =
        what === 'an archive' ? ['restore', '--keep-access', fixture] : await encryptedFixture();
      const kills: boolean[] = [];
      for (const nth of [1, 4, 10]) {
        kills.push(await killAt(place, restoring, place.dataDir, nth));
      }
      expect(kills[0]).toBe(true);
      const [code] = await once(coterie(place, restoring), 'exit');
      // 1 where all was done already when the last of them was hit: what they have made is compared below.
      expect([0, 1]).toContain(code);
      expect((await readdir(place.dataDir)).filter(name => name.startsWith('.'))).toEqual([]);

      const undisturbed = await location();
      await once(coterie(undisturbed, ['restore', '--keep-access', fixture]), 'exit');
      expect(await contentOf(place)).toEqual(await contentOf(undisturbed));
    },
  );

  it('a second restore restarts a restore that was killed before the database existed', async () => {
    const place = await location();
    const config = { ...(await site()).config, ...place };
    await mkdir(join(place.dataDir, '.restore/objects'), { recursive: true });
    await mkdir(join(place.dataDir, 'files'));
    await writeFile(join(place.dataDir, 'files/half'), 'half');
    await expect(restoreSite(config, await archiveFile(fixture))).rejects.toThrow('not empty');
    // The note says that the place was empty before.
    await writeFile(join(place.dataDir, '.restore/note.txt'), '');
    await restoreSite(config, await archiveFile(fixture));
    expect(await readdir(join(place.dataDir, 'files'))).not.toContain('half');
  });

  it('a restore that was killed after everything was done is recognised, and touches no other site', async () => {
    const place = await location();
    const s = await site();
    const config = { ...s.config, ...place };
    const killedAtTheEnd = async () => {
      await mkdir(join(place.dataDir, '.restore'));
      await writeFile(join(place.dataDir, '.restore/note.txt'), '');
    };
    await restoreSite(config, await archiveFile(fixture));
    await killedAtTheEnd();
    await restoreSite(config, await archiveFile(fixture));
    await expect(restoreSite(config, await archiveFile(fixture))).rejects.toThrow('not empty');
    await mkdir(join(place.dataDir, '.restore'));
    await expect(restoreSite(config, await archiveFile(fixture))).rejects.toThrow('not empty');
    expect(await readdir(place.dataDir)).not.toContain('.restore');
    await killedAtTheEnd();
    const { path } = await exportSite(s.deps);
    await expect(restoreSite(config, await archiveFile(path))).rejects.toThrow('not empty');
  });

  it.each(['an archive', 'an encrypted archive'])(
    'a second export writes %s anew after its export was killed, and leaves nothing of the first',
    async what => {
      const { recipient, identity } = await newKey();
      const encryption = what === 'an archive' ? [] : ['--recipient', recipient];
      const place = await location();
      await restoreSite({ ...(await site()).config, ...place }, await archiveFile(fixture));
      const folder = join(place.dataDir, 'backups');
      await mkdir(folder);
      const file = join(folder, 'site.tar');
      // Before the first write, and before the next.
      for (const nth of [2, 3]) {
        expect(await killAt(place, ['export', file, ...encryption], folder, nth)).toBe(true);
        expect(await readdir(folder)).not.toContain('site.tar');
      }
      const [code] = await once(coterie(place, ['export', file, ...encryption]), 'exit');
      expect(code).toBe(0);
      expect(await readdir(folder)).toEqual(['site.tar']);
      await verifyArchive(await archiveFile(file, { identities: [identity] }));
    },
  );
});
