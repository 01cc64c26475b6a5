import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a program (`node --import`): kills its process before the nth thing that it does in a folder,
 * however fast the test is that waits for its end.
 */
const { KILL_IN: folder = '', KILL_AT: nth } = process.env;
let left = Number(nth);
const opened = new Set<unknown>();

function note(isThere: boolean): void {
  if (!isThere) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

type Act = (this: unknown, ...args: unknown[]) => unknown;

/** Notes the calls of a function whose first argument is a path in the folder, or an open file there. */
function watch(functions: object, name: string): void {
  const act: Act = Reflect.get(functions, name);
  const noting: Act = function (...args) {
    const [at] = args;
    const isThere = typeof at === 'string' ? at.startsWith(folder) : opened.has(at);
    note(isThere);
    const last = args.at(-1);
    if (name !== 'open' || !isThere || typeof last !== 'function') return act.apply(this, args);
    const answer = (error: unknown, file: unknown) => {
      opened.add(file);
      last(error, file);
    };
    return act.apply(this, [...args.slice(0, -1), answer]);
  };
  Reflect.set(functions, name, noting);
}

for (const name of ['mkdir', 'mkdtemp', 'open', 'rename', 'rm', 'writeFile']) watch(fs.promises, name);
// Streams write with these.
for (const name of ['open', 'write', 'writev']) watch(fs, name);
syncBuiltinESMExports();
