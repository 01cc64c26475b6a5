import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * The layers of docs/architecture.md, from the bottom: each may import those before it. A folder of the
 * server that is not named here is a feature, so a new one is safe without being named anywhere.
 */
const layers = [
  ['contract'],
  ['server/base'],
  ['server/shared-answer.ts'],
  ['server/db'],
  ['server/access'],
  ['a feature'],
  ['server/http'],
  ['server/environment.ts', 'server/settings-file.ts'],
  ['server/config.ts'],
  ['server/deps.ts'],
  ['server/operations.ts'],
  ['server/live', 'server/incoming-mail'],
  ['server/surfaces'],
  ['server/app.ts'],
  ['server/jobs.ts', 'server/open-deps.ts'],
  ['server/start.ts'],
  ['server/dev.ts', 'server/transfer-process.ts', 'server/cli'],
];
/** What every layer above the database may import as a type. */
const namedInTypes = 'server/config.ts';
/** The most files that may need each other, types included. */
const largestCircle = 5;
/** The wing that moves people in and out: nothing of the blog imports it (server/moving/README.md). */
const moving = 'server/moving';
const mayImportMoving = /^server\/(?:operations|jobs|transfer-process)\.ts$|^server\/(?:surfaces|cli)\//;

type Import = { from: string; to: string; isType: boolean };

/** One sentence for each import against the directions, and for each cycle of folders. */
export function wrongImports(sources: ReadonlyMap<string, string>): string[] {
  const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
  return [
    ...imports.filter(isWrong).map(({ from, to }) => `${from} must not import ${to}`),
    ...schemasInBrowser(sources, imports),
    ...circlesOfFolders(imports),
  ];
}

/**
 * The content policy forbids the code that zod compiles, so the app must not import values from contract
 * files that use zod.
 */
function schemasInBrowser(sources: ReadonlyMap<string, string>, imports: readonly Import[]): string[] {
  const values = imports.filter(({ isType }) => !isType);
  const needsZod = (file: string): boolean =>
    /^import (?!type).* from 'zod';$/m.test(sources.get(file) ?? '') ||
    values.some(({ from, to }) => from === file && needsZod(to));
  return values
    .filter(({ from, to }) => from.startsWith('web/') && to.startsWith('contract/') && needsZod(to))
    .map(({ from, to }) => `${from} must not import ${to}: the browser would load zod`);
}

function importsOf(from: string, source: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(from, source).module;
  const named = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      path: moduleRequest.value,
      isType: entries.length > 0 && entries.every(entry => entry.isType),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(entry =>
        entry.moduleRequest === null ? [] : { path: entry.moduleRequest.value, isType: entry.isType },
      ),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      path: source.slice(start + 1, end - 1),
      isType: false,
    })),
  ];
  return named
    .filter(({ path }) => path.startsWith('.'))
    .map(({ path, isType }) => ({ from, to: posix.join(posix.dirname(from), path), isType }));
}

function isWrong({ from, to, isType }: Import): boolean {
  const [a, b] = [roomOf(from), roomOf(to)];
  // A migration must do the same in ten years, so it imports nothing from the application.
  if (from.startsWith('server/db/migrations/')) return !to.startsWith('server/db/migrations/');
  if (a === b) return false;
  if (b === moving && !mayImportMoving.test(from)) return true;
  if (a === 'web' || b === 'web') return b !== 'contract';
  if (b === namedInTypes && isType) return rankOf(a) < rankOf('server/access');
  // The plumbing of HTTP knows no feature, and no feature knows HTTP.
  if (a === 'server/http') return rankOf(b) > rankOf('server/access');
  if (isFeature(a) && isFeature(b)) return /[-/]operations\.ts$/.test(to);
  return rankOf(b) >= rankOf(a);
}

/** The room of a file: a folder of the server, a single file in its root, or another runtime as a whole. */
function roomOf(file: string): string {
  const [runtime = '', room = ''] = file.split('/');
  return runtime === 'server' ? `server/${room}` : runtime;
}

function rankOf(room: string): number {
  const named = layers.findIndex(layer => layer.includes(room));
  return named >= 0 ? named : layers.findIndex(layer => layer.includes('a feature'));
}

function isFeature(room: string): boolean {
  return !layers.flat().includes(room) && !room.endsWith('.ts');
}

/** As {@link roomOf}, but each folder of the app, and each single file in its root, is a room. */
function folderOf(file: string): string {
  const [runtime, room = '', ...rest] = file.split('/');
  if (runtime !== 'web') return roomOf(file);
  return rest.length > 0 ? `web/${room}` : file;
}

/** Folders whose code needs each other, directly or through others. */
function circlesOfFolders(imports: readonly Import[]): string[] {
  const folders = imports
    .filter(({ isType }) => !isType)
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    .filter(({ from, to }) => from !== to);
  const inCircles = circlesIn(folders).flat().sort();
  return inCircles.length === 0 ? [] : [`These folders need each other: ${inCircles.join(', ')}`];
}

/** Files that need each other, in types too, if they are more than a reader can hold in the head. */
export function largeCircles(sources: ReadonlyMap<string, string>): string[] {
  return circlesIn([...sources].flatMap(([file, source]) => importsOf(file, source)))
    .filter(circle => circle.length > largestCircle)
    .map(circle => `More than ${largestCircle} files need each other: ${circle.sort().join(', ')}`);
}

/** The circles of a graph: its strongly connected components of more than one node. */
function circlesIn(edges: readonly { from: string; to: string }[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const reachedFrom = (start: string) => {
    const reached = new Set<string>();
    const open = [start];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const { to } of next.get(node) ?? []) {
        if (!reached.has(to)) open.push(to);
        reached.add(to);
      }
    }
    return reached;
  };
  const reached = new Map([...next.keys()].map(node => [node, reachedFrom(node)]));
  const circles = new Map<string, string[]>();
  for (const [node, all] of reached) {
    const circle = [...all].filter(other => reached.get(other)?.has(node)).sort();
    if (circle.length > 1) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}
