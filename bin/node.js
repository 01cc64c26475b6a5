'use strict';

// `node bin/node.js [options of Node.js] program [arguments]` runs a program with Node.js 24. In JavaScript
// that the Node.js of any npm understands. Node.js 24 comes with the packages and is started by its path,
// because npm 9 and 10 remove node_modules/.bin/node, a name that the packages for other machines share
// (npm/cli#4362).

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { constants } = require('node:os');
const { delimiter, dirname, join } = require('node:path');

const needed = 24;
const isWindows = process.platform === 'win32';
const machine = `${process.platform}-${process.arch}`;
const packageName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;

/** What loads programs made for glibc. Where it is missing, as on Alpine Linux, the packages cannot run. */
const loaders = {
  'linux-x64': '/lib64/ld-linux-x86-64.so.2',
  'linux-arm64': '/lib/ld-linux-aarch64.so.1',
};
const hasGlibc = loaders[machine] !== undefined && existsSync(loaders[machine]);

const isNewEnough = Number(process.versions.node.split('.')[0]) >= needed;

/** Whether this process can become another one, in its place and with its number. */
const canReplace = typeof process.execve === 'function' && !isWindows;

/** The path of Node.js 24 or newer: this one, or that of the packages. Without one, ends with a sentence. */
function requireNode() {
  if (isNewEnough) return process.execPath;
  const packages = require('../package.json').optionalDependencies;
  const need = `Coterie needs Node.js ${needed} or newer. This is ${process.version}, and `;
  const own = 'install Node.js from https://nodejs.org/en/download';
  if (packages[packageName] === undefined || (process.platform === 'linux' && !hasGlibc)) {
    const kind = packages[packageName] === undefined ? machine : `${machine} without glibc`;
    return fail(`${need}there is no package with it for ${kind}: ${own}.`);
  }
  const file = packagedNode();
  return file === undefined
    ? fail(`${need}the package ${packageName}, which has it, is missing: run "npm ci", or ${own}.`)
    : file;
}

function packagedNode() {
  try {
    const folder = dirname(require.resolve(`${packageName}/package.json`));
    const file = join(folder, 'bin', isWindows ? 'node.exe' : 'node');
    return existsSync(file) ? file : undefined;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Ends this program with a sentence for a person. */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  return process.exit(1);
}

/** Runs a program in the place of this one. Programs that it starts find this Node.js first, as `node`. */
function runInPlace(file, args, env) {
  const path = Object.keys(env).find(name => name.toUpperCase() === 'PATH') || 'PATH';
  const whole = Object.assign({}, env);
  whole[path] = dirname(file) + (env[path] ? delimiter + env[path] : '');
  if (canReplace) process.execve(file, [file].concat(args), whole);
  else runAsChild(file, args, whole);
}

/**
 * For a Node.js before 22.15, and Windows. Apart from Windows the child has a group of its own: of Ctrl+C it
 * hears once, from here, as do the programs that it runs.
 */
function runAsChild(file, args, env) {
  const child = spawn(file, args, { stdio: 'inherit', env, detached: !isWindows });
  ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'].forEach(signal => {
    if (constants.signals[signal] === undefined) return;
    process.on(signal, () => {
      // Windows sends Ctrl+C to both.
      if (isWindows) return;
      if (signal === 'SIGTERM') child.kill(signal);
      else process.kill(-child.pid, signal);
    });
  });
  child.on('error', error => fail(`${file} cannot be run: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

module.exports = { canReplace, hasGlibc, isNewEnough, requireNode, runInPlace };

if (require.main === module) runInPlace(requireNode(), process.argv.slice(2), process.env);
