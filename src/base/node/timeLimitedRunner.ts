import { createContext, Script, type Context } from 'node:vm';
import type { RunWithTimeLimit } from '../common/runWithTimeLimit';

/** Default time limit, in milliseconds. Reasonable globs take much less. */
const globMs = 100;
/** How many times the same work may run. */
const maxRuns = 3;

/**
 * Interrupts synchronous work after `limitMs`, even inside a regular expression. The work runs in a script. Runs it again if
 * this process hardly used the processor meanwhile, because then the machine was busy, and the work may be fast.
 */
export function createTimeLimitedRunner(limitMs = globMs): RunWithTimeLimit {
  const script = new Script('work()');
  const globals = { work: (): void => undefined };
  let context: Context | undefined;
  return <T>(work: () => T): T | undefined => {
    let result: T | undefined;
    globals.work = () => {
      result = work();
    };
    context ??= createContext(globals);
    for (let run = 1; run <= maxRuns; run++) {
      const before = process.cpuUsage();
      try {
        script.runInContext(context, { timeout: limitMs });
        return result;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const { user, system } = process.cpuUsage(before);
        const usedMs = (user + system) / 1_000;
        if (usedMs > limitMs / 2) return undefined;
      }
    }
    return undefined;
  };
}

/** The error is of the script's JavaScript realm, whose `Error` is another class, so `instanceof Error` fails. */
function isTimeout(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
