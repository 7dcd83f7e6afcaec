import { createContext, Script, type Context } from 'node:vm';
import type { RunWithTimeLimit } from '../common/runWithTimeLimit';

/** Default time limit, in milliseconds. Reasonable globs take much less. */
const globMs = 100;

/** Interrupts synchronous work after `limitMs`, even inside a regular expression. The work runs in a script. */
export function createTimeLimitedRunner(limitMs = globMs): RunWithTimeLimit {
  const script = new Script('work()');
  const globals = { work: (): void => undefined };
  let context: Context | undefined;
  return <T>(work: () => T): T | undefined => {
    let result: T | undefined;
    globals.work = () => {
      result = work();
    };
    try {
      script.runInContext((context ??= createContext(globals)), { timeout: limitMs });
      return result;
    } catch (error) {
      if (isTimeout(error)) return undefined;
      throw error;
    }
  };
}

/** The error is of the script's JavaScript realm, whose `Error` is another class, so `instanceof Error` fails. */
function isTimeout(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
