import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { scratchFolder } from '../scratch.ts';

/**
 * A mistake made on purpose: in a file of the sources, one text instead of another that stands there (the first is taken).
 * One that changes nothing that anybody can see says why.
 */
type Mutant = { file: string; find: string; put: string; equivalent?: string };

/**
 * `npm run prove:mutants`: makes each mistake of the table in a copy of the sources, and lets the tester look for it.
 * Prints a line for each, and ends with 1 where one survives that could be seen. `--only TEXT` takes those that hold it.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    steps: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
  },
});
const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');

const table = await readFile(join(import.meta.dirname, 'mutants.json'), 'utf8');
const mutants: Mutant[] = JSON.parse(table);
const chosen = mutants.filter(mutant => JSON.stringify(mutant).includes(values.only));
// All patterns first: sources that have moved on must not take an hour to say so.
for (const { file, find } of chosen) {
  if (!(await readFile(join(root, file), 'utf8')).includes(find))
    throw new Error(`${file} does not hold: ${find}`);
}
const copy = await mkdtemp(join(scratchFolder(), 'coterie-mutants-'));
let survived = 0;
try {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', 'contract', 'server', 'test', 'web', 'package.json'],
    {
      cwd: root,
      maxBuffer: 1 << 24,
    },
  );
  for (const file of stdout.trim().split('\n')) await cp(join(root, file), join(copy, file));
  for (const folder of ['node_modules', 'dist']) await symlink(join(root, folder), join(copy, folder));
  for (const mutant of chosen) {
    const { result, by } = await look(mutant);
    const isFine = result === 'killed' || mutant.equivalent !== undefined;
    if (!isFine) survived += 1;
    const change = `${mutant.file}: ${oneLine(mutant.find)} -> ${oneLine(mutant.put) || 'nothing'}`;
    console.log(`${result}\t${change}\t${mutant.equivalent ?? by}`);
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
console.log(`${chosen.length} mutants, ${survived} of them survived.`);
if (survived > 0) process.exitCode = 1;

/** Lets the tester look for a mistake. One that keeps the site from working at all is found, too. */
async function look({ file, find, put }: Mutant): Promise<{ result: 'killed' | 'survived'; by: string }> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  await writeFile(
    path,
    source.replace(find, () => put),
  );
  try {
    const args = ['test/prove/main.ts', '--raw', '--steps', values.steps, '--seed', values.seed];
    const child = spawn(node, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    const found = /^After .*$/m.exec(out)?.[0] ?? err.trim().split('\n').at(-1) ?? '';
    return { result: code === 0 ? 'survived' : 'killed', by: found.slice(0, 300) };
  } finally {
    await writeFile(path, source);
  }
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim();
}
