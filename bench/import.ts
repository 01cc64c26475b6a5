import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import '../test/support/no-settings.ts';
import { createDatabase, dropDatabase, startPostgres } from '../test/support/postgres.ts';
import { type ExportedItem, wordpressExport } from '../test/support/wordpress-export.ts';
import { Random } from './seed/random.ts';
import { Texts } from './seed/texts.ts';

/**
 * `npm run bench:import`: imports a thousand posts of some 350 words from Markdown and from WordPress, with
 * words only and with a picture each, into an empty site, as `coterie import` does, and once more unchanged.
 * Prints posts a second and a processor second. `--engine sqlite` and `--kind markdown` measure less,
 * `--posts N` a smaller source.
 */
const { values: options } = parseArgs({
  options: {
    engine: { type: 'string' },
    kind: { type: 'string' },
    posts: { type: 'string', default: '1000' },
  },
});
const posts = Number(options.posts);
const program = join(import.meta.dirname, '../bin/coterie.js');
const folder = await mkdtemp(join(tmpdir(), 'coterie-bench-import-'));

try {
  const sources = await makeSources();
  for (const engine of ['sqlite', 'postgres']) {
    if (options.engine !== undefined && options.engine !== engine) continue;
    const postgres = engine === 'postgres' ? await startPostgres() : undefined;
    for (const [kind, args] of Object.entries(sources))
      if (kind.startsWith(options.kind ?? '')) await measure(`${engine}, ${kind}`, args, postgres?.url);
    await postgres?.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, args: readonly string[], server: string | undefined): Promise<void> {
  const databaseUrl = server && (await createDatabase(server));
  const settings = { DATA_DIR: join(folder, name), ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  // The site is made first, and so is the program's code: neither belongs to the import.
  const admin = ['admin', 'create', '--email', 'a@example.com', '--username', 'bench', '--name', 'Bench'];
  await run([...admin, '--password-stdin'], settings);
  for (const outcome of ['created', 'unchanged']) {
    const { seconds, cpu, printed } = await run(['import', ...args], settings);
    if (!printed.includes(`${posts} ${outcome}`)) throw new Error(`${name}: ${printed}`);
    process.stdout.write(
      `${name}: ${outcome} ${(posts / seconds).toFixed(0)} posts/s, ${(posts / cpu).toFixed(0)} a processor ` +
        `second (${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of a processor)\n`,
    );
  }
  if (databaseUrl) await dropDatabase(databaseUrl);
}

/** Runs a command on a site. `cpu` is its processor time in seconds, by the shell's `times`. */
async function run(args: readonly string[], settings: Record<string, string>) {
  const start = performance.now();
  const child = spawn('sh', ['-c', '"$@"; times', 'sh', process.execPath, program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end('password');
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const seconds = (performance.now() - start) / 1_000;
  const times = [...(printed.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpu = times.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
  return { seconds, cpu, printed };
}

/** What `coterie import` is given for each kind of source. */
async function makeSources(): Promise<Record<string, string[]>> {
  const random = new Random(1);
  const texts = new Texts(random);
  const picture = await sharp({
    create: {
      width: 1_600,
      height: 1_200,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 20 },
    },
  })
    .jpeg()
    .toBuffer();
  const at = (...names: string[]) => join(folder, 'sources', ...names);
  for (const name of ['markdown', 'illustrated', 'uploads/2020/05'])
    await mkdir(at(name), { recursive: true });
  const items: Record<'plain' | 'illustrated', ExportedItem[]> = { plain: [], illustrated: [] };
  for (let id = 1; id <= posts; id += 1) {
    const content = cut(texts.essay(`${id}`).content);
    const minute = `2020-05-${10 + (id % 20)}T10:${10 + (id % 50)}`;
    const head = `---\ntitle: ${texts.title()}\ndate: ${minute}:00Z\ntags: [walks]\n---\n`;
    const bytes = distinct(picture, id);
    await writeFile(at('markdown', `${id}.md`), `${head}${content}`);
    await writeFile(at('illustrated', `${id}.md`), `${head}![A walk](${id}.jpg)\n\n${content}`);
    await writeFile(at('illustrated', `${id}.jpg`), bytes);
    await writeFile(at('uploads/2020/05', `${id}.jpg`), bytes);
    const url = `https://walks.example/wp-content/uploads/2020/05/${id}.jpg`;
    const date = `${minute.replace('T', ' ')}:00`;
    const item = { id, title: texts.title(), date, tags: ['walks'], content: blocksOf(content) };
    items.plain.push(item);
    const figure = `<!-- wp:image -->\n<figure class="wp-block-image"><img src="${url}" alt="A walk"/></figure>\n<!-- /wp:image -->`;
    items.illustrated.push({ ...item, content: `${figure}\n\n${item.content}` });
  }
  for (const [name, list] of Object.entries(items)) await writeFile(at(`${name}.xml`), wordpressExport(list));
  return {
    markdown: [at('markdown')],
    wordpress: ['wordpress', at('plain.xml')],
    'markdown with pictures': [at('illustrated')],
    'wordpress with pictures': ['wordpress', at('illustrated.xml'), '--media', at('uploads')],
  };
}

/** The first paragraphs of a text: some 350 words of it. */
function cut(text: string): string {
  const parts: string[] = [];
  let words = 0;
  for (const part of text.split('\n\n')) {
    if (words > 350) break;
    words += part.split(' ').length;
    parts.push(part);
  }
  return parts.join('\n\n');
}

/** The same picture with a comment of its own, so that each is stored. */
function distinct(picture: Buffer, id: number): Buffer {
  const comment = Buffer.alloc(12);
  comment.writeUInt32BE(0xff_fe_00_0a);
  comment.writeUInt32BE(id, 4);
  return Buffer.concat([picture.subarray(0, 2), comment, picture.subarray(2)]);
}

/** Markdown of the seeded texts as the block editor of WordPress would hold it. */
function blocksOf(markdown: string): string {
  const block = (name: string, html: string) => `<!-- wp:${name} -->\n${html}\n<!-- /wp:${name} -->`;
  const inline = (line: string) =>
    line
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>');
  const blocks = markdown.split('\n\n').map(part => {
    if (part.startsWith('## ')) return block('heading', `<h2>${inline(part.slice(3))}</h2>`);
    if (part.startsWith('> '))
      return block('quote', `<blockquote><p>${inline(part.slice(2))}</p></blockquote>`);
    if (part.startsWith('```'))
      return block(
        'code',
        `<pre class="wp-block-code"><code>${inline(part.replace(/^```.*\n|\n```$/g, ''))}</code></pre>`,
      );
    if (part.startsWith('- '))
      return block(
        'list',
        `<ul>${part
          .split('\n')
          .map(line => `<li>${inline(line.slice(2))}</li>`)
          .join('')}</ul>`,
      );
    return block('paragraph', `<p>${inline(part)}</p>`);
  });
  return blocks.join('\n\n');
}
