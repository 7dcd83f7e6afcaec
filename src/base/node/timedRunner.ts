import { createContext, Script, type Context } from 'node:vm';
import type { RunInTime } from '../common/timedRun';

/** Much longer than any good glob takes. */
const globMs = 100;

/** Stops after `limitMs` what blocks this thread, also a regular expression: only V8 itself can, and scripts let it. */
export function timedRunner(limitMs = globMs): RunInTime {
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

/** It is an error of the script's realm, not an `Error` of ours. */
function isTimeout(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
