import { createContext, Script } from 'node:vm';

const sandbox: { run: () => unknown } = { run: () => undefined };
const context = createContext(sandbox);
const script = new Script('run()');

/**
 * Runs synchronous code for at most `milliseconds` and returns its result; undefined if the time was up. V8's
 * watchdog stops the code at any point, so it must leave nothing half done that outlives the call. Nothing is
 * isolated by this: the context exists because only a script can have a time limit.
 */
export function withTimeLimit<T>(milliseconds: number, code: () => T): { value: T } | undefined {
  const outer = sandbox.run;
  try {
    let value: T | undefined;
    sandbox.run = () => {
      value = code();
    };
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return { value: value as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    sandbox.run = outer;
  }
}
