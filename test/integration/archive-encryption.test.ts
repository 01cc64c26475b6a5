import { execFileSync, spawnSync } from 'node:child_process';
import { open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { rehearse } from '../../server/cli/with-copy.ts';
import { type ArchiveEncryption, readConfig } from '../../server/config.ts';
import { markerName } from '../../server/db/folder-marker.ts';
import { encrypting } from '../../server/moving/archive/encryption.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { backUpWhenDue } from '../../server/moving/archive/schedule.ts';
import { archiveFile, archiveWith } from '../../server/moving/archive/source.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { environment, program } from '../processes/built.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { openSite, refusal, type Site } from '../support/site.ts';
import { storeFile } from '../support/storage.ts';
import { newFolder } from '../support/temporary-folder.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const passphrase = 'correct horse battery staple';
const fixture = join(import.meta.dirname, '../releases/0.1.0.tar');

async function newKey() {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A site with a post and a file of several chunks. */
async function publishVideo(s: Site): Promise<void> {
  const admin = await s.admin();
  const bytes = Buffer.alloc(300_000, 'video');
  const { url } = await storeFile(s.deps, { name: 'a.bin', bytes, uploaderId: admin?.id ?? '' });
  await publish(s, admin, essay({ content: `With a [video](${url}).` }));
}

/**
 * What follows the salt in the header of an archive that a passphrase opens: how much a guess costs, as a
 * power of two.
 */
const costOf = async (path: string) =>
  Number(/^-> scrypt \S+ (\d+)$/m.exec(await readFile(path, 'latin1'))?.[1]);

/** The archive of the fixture as another program encrypts it by the passphrase, whose guesses cost little. */
async function encryptFixtureCheaply(): Promise<string> {
  const path = join(await newFolder(), 'site.tar.age');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(10);
  await writeFile(path, await encrypter.encrypt(await readFile(fixture)));
  return path;
}

/** The archive of the fixture, encrypted. */
async function encryptFixture(encryption: ArchiveEncryption): Promise<string> {
  const path = join(await newFolder(), 'site.tar.age');
  const { encrypt } = await encrypting(encryption);
  await writeFile(path, encrypt((await archiveFile(fixture)).open()));
  return path;
}

describeEngines(({ site, location, migrated }) => {
  it('an encrypted archive is restored with the key of any of its recipients, and with no other', async () => {
    const s = await site();
    await publishVideo(s);
    const [one, two, other] = [await newKey(), await newKey(), await newKey()];
    const encryption = { recipients: [one.recipient, two.recipient] };
    const { path, manifest, key } = await exportSite(s.deps, undefined, { encryption });
    expect(path).toMatch(/\.tar\.age$/);
    expect((await readFile(path)).includes('manifest.json')).toBe(false);
    // The process that wrote it reads it back without either key.
    expect((await verifyArchive(archiveWith(path, key))).manifest).toEqual(manifest);

    const place = await location();
    const config = { ...s.config, ...place };
    await expect(archiveFile(path)).rejects.toThrow('Name the file of the key with --identity');
    await expect(archiveFile(path, { passphrase })).rejects.toThrow('--identity');
    const torn = { identities: [one.identity.slice(0, -1)] };
    await expect(archiveFile(path, torn)).rejects.toThrow('not a valid key of age');
    const wrong = { identities: [other.identity] };
    await expect(archiveFile(path, wrong)).rejects.toThrow('cannot be opened with this key');
    expect(await readdir(place.dataDir).catch(() => [])).toEqual([]);

    await restoreSite(config, await archiveFile(path, { identities: [other.identity, two.identity] }));
    const restored = await openSite(place);
    cleanups.push(restored.close);
    expect(await examine(restored.deps)).toEqual([]);
    expect(manifest).toMatchObject({ kinds: { posts: { rows: 1 } }, files: { count: 1 } });
  });

  it('an encrypted archive is what scheduled backups are with BACKUP_RECIPIENTS, and is verified completely without their keys', async () => {
    const { identity, recipient } = await newKey();
    const s = await openSite(await migrated(), { BACKUP_AT: '03:30', BACKUP_RECIPIENTS: recipient });
    cleanups.push(s.close);
    await publishVideo(s);
    await backUpWhenDue(s.deps);
    const { last, failure } = await s.call(await s.admin(), 'getBackupState', {});
    expect(failure).toBeNull();
    expect(last).toMatchObject({ posts: 1, files: 1, openedBy: 'key' });
    const path = join(s.config.dataDir, 'backups', last?.name ?? '');
    const { kinds } = (await verifyArchive(await archiveFile(path, { identities: [identity] }))).manifest;
    expect(kinds.posts?.rows).toBe(1);
    // Old ones are removed, encrypted or not.
    for (let days = 0; days < 9; days += 1) {
      s.wait(24 * 60 * 60_000);
      await backUpWhenDue(s.deps);
    }
    const kept = (await readdir(join(s.config.dataDir, 'backups'))).filter(name => name !== markerName);
    expect(kept).toHaveLength((await s.deps.settings()).backupKeep);
  });
});

it('an encrypted archive opens with its passphrase, and says so if the passphrase is missing', async () => {
  const path = await encryptFixtureCheaply();
  await verifyArchive(await archiveFile(path, { passphrase }));
  expect(await rehearse(await archiveFile(path, { passphrase }))).toEqual([]);
  await expect(archiveFile(path)).rejects.toThrow('--passphrase-file');
  await expect(archiveFile(path, { identities: [(await newKey()).identity] })).rejects.toThrow(
    'encrypted with a passphrase',
  );
  const wrong = { passphrase: 'correct horse battery stable' };
  await expect(archiveFile(path, wrong)).rejects.toThrow('cannot be opened with this key');
});

it('a restore refuses an encrypted archive of which any byte has changed or is missing', async () => {
  const { identity, recipient } = await newKey();
  const path = await encryptFixture({ recipients: [recipient] });
  const whole = await readFile(path);
  const keys = { identities: [identity] };
  await verifyArchive(await archiveFile(path, keys));
  const verified = async () => await refusal(archiveFile(path, keys).then(verifyArchive));
  for (let at = 0; at < whole.length; at += at < 400 ? 13 : 3_001) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(path, changed);
    expect([at, await verified()]).toEqual([at, 'invalid-argument']);
  }
  await writeFile(path, whole);
  // Also where one encrypted chunk ends and the next would begin.
  const payload = whole.indexOf('\n', whole.indexOf('\n--- ') + 1) + 1 + 16;
  const chunk = 64 * 1024 + 16;
  for (const length of [
    whole.length - 1,
    payload + 2 * chunk,
    payload + chunk,
    payload,
    300,
    100,
    22,
    1,
    0,
  ]) {
    await truncate(path, length);
    expect([length, await verified()]).toEqual([length, 'invalid-argument']);
  }
});

it('a restore reads only a limited part of a header without an end', async () => {
  const path = join(await newFolder(), 'endless.tar.age');
  await writeFile(path, 'age-encryption.org/v1\n-> X25519 ');
  const file = await open(path, 'r+');
  await file.truncate(8 * 1024 ** 3);
  await file.close();
  const keys = { identities: [(await newKey()).identity] };
  await expect(archiveFile(path, keys)).rejects.toThrow('is damaged');
});

it('an export refuses a recipient with a typing error, and a short passphrase', async () => {
  const { recipient } = await newKey();
  const slip = recipient.replace(/.$/, last => (last === 'q' ? 'p' : 'q'));
  for (const value of [slip, 'age1', 'ssh-ed25519 AAAA', `${recipient},`]) {
    expect(() => readConfig({ BACKUP_RECIPIENTS: value })).toThrow('must be public keys of age');
  }
  await expect(encrypting({ recipients: [slip] })).rejects.toThrow('is not a public key of age');
  expect(() => readConfig({ BACKUP_PASSPHRASE: 'short' })).toThrow('at least 12 characters');
  await expect(encrypting({ passphrase: 'short' })).rejects.toThrow('at least 12 characters');
  expect(() => readConfig({ BACKUP_PASSPHRASE: passphrase, BACKUP_RECIPIENTS: recipient })).toThrow(
    'exclude each other',
  );
});

const hasAge = spawnSync('age', ['--version']).error === undefined;

describeEngines(({ site, engine }) => {
  const isTried = hasAge && engine === 'sqlite';

  it.runIf(isTried)(
    'the age program opens what coterie export encrypts, and the other way round',
    async () => {
      const s = await site();
      await publishVideo(s);
      const folder = await newFolder();
      const keyFile = join(folder, 'key.txt');
      execFileSync('age-keygen', ['-o', keyFile], { stdio: 'ignore' });
      const recipient = execFileSync('age-keygen', ['-y', keyFile], { encoding: 'utf8' }).trim();
      const coterie = (...args: string[]) =>
        execFileSync(process.execPath, [program, ...args], {
          cwd: folder,
          env: { ...environment, DATA_DIR: s.config.dataDir },
          encoding: 'utf8',
        });

      const encrypted = join(folder, 'site.tar.age');
      expect(coterie('export', encrypted, '--recipient', recipient, '--rehearse')).toContain('No problems');
      const plain = join(folder, 'site.tar');
      execFileSync('age', ['-d', '-i', keyFile, '-o', plain, encrypted]);
      expect(coterie('verify', plain)).toContain('is whole');

      const again = join(folder, 'again.tar.age');
      execFileSync('age', ['-r', recipient, '-o', again, plain]);
      expect(coterie('verify', again, '--identity', keyFile)).toContain('is whole');
    },
  );
});

describeEngines(({ site, engine }) => {
  it.runIf(engine === 'sqlite')(
    'coterie export takes a passphrase from a file or the environment',
    async () => {
      const s: Site = await site();
      const folder = await newFolder();
      const run = (settings: Record<string, string>, ...args: string[]) =>
        execFileSync(process.execPath, [program, ...args], {
          cwd: folder,
          env: { ...environment, DATA_DIR: s.config.dataDir, ...settings },
          encoding: 'utf8',
          stdio: 'pipe',
        });
      await writeFile(join(folder, 'passphrase.txt'), `${passphrase}\n`);
      run({}, 'export', 'one.tar.age', '--passphrase-file', 'passphrase.txt');
      run({ BACKUP_PASSPHRASE: passphrase }, 'export', 'two.tar.age');
      for (const name of ['one.tar.age', 'two.tar.age']) expect(await costOf(join(folder, name))).toBe(18);
      // Each is opened once: it takes a second or two of a processor.
      expect(run({}, 'verify', 'two.tar.age', '--passphrase-file', 'passphrase.txt')).toContain('is whole');
      expect(() => run({}, 'verify', 'two.tar.age')).toThrow('--passphrase-file');
      expect(() => run({}, 'verify', 'two.tar.age', '--identity', 'passphrase.txt')).toThrow('no key of age');
      run({ DATA_DIR: 'back', BACKUP_PASSPHRASE: passphrase }, 'restore', 'one.tar.age');
      expect(run({ DATA_DIR: 'back' }, 'doctor')).toBe('No problems found.\n');
    },
  );
});
