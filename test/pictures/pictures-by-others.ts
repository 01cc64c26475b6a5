import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { attachmentsPerPost } from '../../contract/constants.ts';
import { makeNextVariants, prepareNext } from '../../server/files/make-variants.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { exportMarkdown } from '../../server/moving/archive/markdown-targets.ts';
import { shortPost } from '../support/factories.ts';
import { openSite } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { entriesOf } from '../support/zip-entries.ts';
import { privateTags, privateWords, probedTags, type Tags, tagsIn } from './found-data.ts';

/** What a browser says of a file by its name. */
const types: Record<string, string> = {
  ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', jpe: 'image/jpeg', png: 'image/png', gif: 'image/gif' },
  ...{ webp: 'image/webp', avif: 'image/avif', heic: 'image/heic', heif: 'image/heif', hif: 'image/heif' },
  ...{ svg: 'image/svg+xml', tif: 'image/tiff', tiff: 'image/tiff', jxl: 'image/jxl', jp2: 'image/jp2' },
  ...{ bmp: 'image/bmp', psd: 'image/vnd.adobe.photoshop', ico: 'image/x-icon' },
  ...{ exr: 'image/x-exr', hdr: 'image/vnd.radiance', dpx: 'image/x-dpx', pgf: 'image/x-pgf' },
  ...{ flif: 'image/x-flif', fits: 'image/fits', pcx: 'image/x-pcx', pict: 'image/x-pict' },
  ...{ ppm: 'image/x-portable-pixmap', mng: 'video/x-mng' },
  ...{ mp4: 'video/mp4', m4v: 'video/mp4', mov: 'video/quicktime', '3gp': 'video/3gpp', webm: 'video/webm' },
  ...{ mkv: 'video/x-matroska', avi: 'video/x-msvideo', mp3: 'audio/mpeg', m4a: 'audio/mp4' },
  ...{ ogg: 'audio/ogg', wav: 'audio/wav', flac: 'audio/flac', aif: 'audio/aiff', amr: 'audio/amr' },
  ...{ caf: 'audio/x-caf' },
};
/** Raw pictures, and others that a browser does not know: it says nothing of them. */
const unknown =
  /\.(?:3fr|arw|cr[23w]|crw|dng|iiq|mef|mrw|nef|nrw|orf|pef|raf|raw|rw2|srw|x3f|lfp|j2c|mts|wmv|flv|mpe?g|bpg|xcf|psp|jng)$/i;
const typeOf = (name: string) => types[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
const isMedium = (name: string) => typeOf(name) !== undefined || unknown.test(name);
/** With a segment that a picture begins with: tables of colours may hold the first three bytes. */
const jpegStart = /\xff\xd8\xff(?:[\xe0\xee]\0|\xe1[\s\S]{2}(?:Exif|http)|\xdb\0|\xfe\0)/;
const mostBytes = 64 * 1024 * 1024;

/** The pictures, videos and sounds in the folders of `PICTURES`. */
async function filesToTake(): Promise<string[]> {
  const folders = (process.env.PICTURES ?? '').split(delimiter).filter(Boolean);
  const paths: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && isMedium(entry.name) && (await stat(path)).size <= mostBytes) paths.push(path);
    }
  }
  return paths.sort();
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-pictures-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

type Came = { path: string; bytes: Buffer; id: string; type: string };
type Row = { file: string; outcome: string; found: string };

it('each picture by others comes in clean, or is refused with a sentence that says what to do', async () => {
  const paths = await filesToTake();
  expect(paths.length, 'Name folders with pictures in PICTURES.').toBeGreaterThan(0);
  const folder = await makeFolder();
  const s = await openSite({ dataDir: join(folder, 'site'), databaseUrl: undefined });
  onTestFinished(s.close);
  const admin = await s.admin();

  const rows = new Map<string, Row>();
  const came: Came[] = [];
  for (const path of paths) {
    const bytes = await readFile(path);
    const row = { file: path.split('/').slice(-2).join('/'), outcome: '', found: '' };
    rows.set(path, row);
    try {
      const { id, contentType } = await upload(
        s,
        admin,
        `${rows.size}-${basename(path)}`,
        bytes,
        typeOf(path),
      );
      came.push({ path, bytes, id, type: contentType });
      row.outcome = contentType;
    } catch (error) {
      row.outcome = error instanceof Error ? error.message : String(error);
    }
  }
  const posts: string[] = [];
  for (let at = 0; at < came.length; at += attachmentsPerPost) {
    const attachments = came
      .slice(at, at + attachmentsPerPost)
      .map(({ id }) => ({ url: `/files/${id}`, description: null }));
    posts.push((await s.call(admin, 'createPost', { ...shortPost('Pictures.'), attachments })).post.id);
  }
  while (await makeNextVariants(s.deps));
  while (await prepareNext(s.deps));

  const stored = join(s.config.dataDir, 'files');
  const [before, after] = [await tagsIn(paths), await tagsIn([stored])];
  const kept = new Set<string>();
  const names = await readdir(stored, { recursive: true, withFileTypes: true });
  for (const { id, path, type } of came) {
    const row = rows.get(path);
    const findings = new Set<string>();
    const words = privateWords(before.get(path) ?? {});
    for (const entry of names.filter(({ name }) => name === id || name.startsWith(`${id}.`))) {
      const own = join(entry.parentPath, entry.name);
      const bytes = await readFile(own);
      kept.add(digest(bytes));
      const size = entry.name.slice(id.length);
      for (const [name, value] of privateTags(after.get(own) ?? ({} as Tags)))
        findings.add(`${size} ${name}=${value}`);
      for (const word of words) if (bytes.includes(word)) findings.add(`${size} holds “${word}”`);
      if (/^(?:video|audio)\//.test(type))
        for (const tag of await probedTags(own)) findings.add(`${size} ${tag}`);
      const isJpeg = bytes.toString('latin1', 0, 3) === '\xff\xd8\xff';
      const hasTwo = isJpeg && jpegStart.test(bytes.toString('latin1', 2));
      if (hasTwo) findings.add(`${size} holds a second picture`);
    }
    if (row !== undefined) row.found = [...findings].map(one => one.slice(0, 120).trim()).join('; ');
  }
  process.stdout.write(`${tableOf([...rows.values()])}\n`);

  // What is sent, packed and exported are these bytes and no others.
  const others: string[] = [];
  const isKept = (where: string, bytes: Uint8Array) => {
    if (!kept.has(digest(bytes))) others.push(where);
  };
  for (const { id } of came) {
    for (const width of ['', '480', '960', '1600', 'poster', 'original']) {
      const answer = await s.request(`/files/${id}?width=${width}`, admin);
      if (answer.status === 200) isKept(`${id}?width=${width}`, await answer.bytes());
    }
  }
  const exported = join(folder, 'exported');
  await exportMarkdown(s.deps, exported);
  for (const post of posts) {
    const answer = await s.request(`/post/${post}/pictures.zip`, admin);
    if (answer.status !== 200) continue;
    for (const [name, bytes] of await entriesOf(Buffer.from(await answer.arrayBuffer())))
      isKept(`zip: ${name}`, bytes);
  }
  for (const entry of await readdir(exported, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.endsWith('.md')) {
      isKept(entry.name, await readFile(join(entry.parentPath, entry.name)));
    }
  }
  const archive = join(folder, 'site.tar');
  await exportSite(s.deps, archive);
  const listed = execFileSync('tar', ['-tf', archive], { maxBuffer: 2 ** 26 })
    .toString()
    .split('\n');
  const packed = listed.flatMap(name => /^files\/(\w+)$/.exec(name)?.[1] ?? []);
  others.push(...packed.filter(name => !kept.has(name)).map(name => `archive: ${name}`));

  const refusals = [...rows.values()].filter(({ outcome }) => !/^[a-z]+\/\S+$/.test(outcome));
  expect(others).toEqual([]);
  expect([...rows.values()].filter(({ found }) => found !== '')).toEqual([]);
  expect(refusals.filter(({ outcome }) => !/^4\d\d .*(?:Please |at most )/.test(outcome))).toEqual([]);
});

function tableOf(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ file }) => file.length));
  return rows
    .map(({ file, outcome, found }) => `${file.padEnd(width)}  ${outcome}${found && `  FOUND ${found}`}`)
    .join('\n');
}
