import * as z from 'zod';
import { withDeadline } from '../../../base/common/async';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { TimeoutError } from '../../../base/common/errors';
import { oneLine } from '../../../base/common/text/oneLine';
import { defineActingTool, type ActingCall } from '../defineTool';
import { displayPath } from '../text/displayPath';
import { truncateText } from '../text/lineTexts';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import type { SelectedTests } from '../testPort';
import { describeTestResults } from './testResults';

const maxFiles = 50;
const maxNames = 50;
const maxListed = 200;
const maxNameLength = 300;
const maxTimeoutSeconds = 600;
/** How long VS Code may look for tests, or for the last results. */
const maxLookSeconds = 30;
const lookLimit: TimeLimit = {
  seconds: maxLookSeconds,
  late: `VS Code did not answer within ${maxLookSeconds} s: an extension may still be searching for tests. Try again later.`,
};
const noFailures = 'The last run has no failures.';
const noFailuresAfterStop =
  'No failures are known. The last run of this tool did not end, so this does not mean that tests passed.';
const noFailuresYet =
  'No failures were reported before it was stopped. This does not mean that tests passed: they may hang, or VS Code may not have reported the end of a run that took only milliseconds. Run fewer tests, or use a command.';
const partialFailures = 'Failures of the last run that VS Code knows. Tests that had not ended are missing:';
const warning =
  'Tests run code from the workspace, including code that the agent has changed. VS Code may ask you again.';

const input = z.strictObject({
  action: z.enum(['list', 'run', 'failures']).describe('failures: those of the last run, even if the user started it.'),
  files: z.array(z.string().min(1)).max(maxFiles).default([]).describe('For list and run.'),
  names: z.array(z.string().min(1).max(maxNameLength)).max(maxNames).default([]).describe('For run: parts of names.'),
  timeout: z.int().min(1).max(maxTimeoutSeconds).default(300).describe('For run, in seconds.'),
});

export function testsTool(ports: Pick<ToolPorts, 'clock' | 'editor' | 'tests'>): Tool {
  const { editor, tests } = ports;
  let wasLastRunStopped = false;
  return defineActingTool({
    name: 'tests',
    title: 'Tests',
    description:
      'Tests in the Test Explorer of VS Code, for any language: lists those of files, runs them, or returns the failures of the last run. Better than a command, if it lists tests.',
    input,
    async run({ action, files: requested, names, timeout }, call) {
      const { signal } = call;
      if (action === 'failures') {
        const { reported, told } = await lastFailures(ports, signal);
        // For a run without failures, VS Code reports only its output.
        if (reported !== '' && !reported.startsWith('<output>')) return told;
        return [wasLastRunStopped ? noFailuresAfterStop : noFailures, told].join('\n').trimEnd();
      }
      const files: string[] = [];
      for (const file of requested) files.push(await editor.resolve(file));
      signal.throwIfAborted();
      if (action === 'list') return await withinTime(lookLimit, ports, signal, () => listTests(files, ports));
      await requirePermit({ files, names }, ports, call);
      const late = `The run did not end within ${timeout} s, so it was stopped.`;
      wasLastRunStopped = true;
      try {
        const results = await withinTime({ seconds: timeout, late }, ports, signal, (unwanted) =>
          tests.run({ files, names }, unwanted),
        );
        wasLastRunStopped = false;
        return await describeTestResults(results, ports, signal);
      } catch (error) {
        if (!(error instanceof TimeOverError)) throw error;
        throw new ToolError([error.message, ...(await knownFailures(ports, signal))].join('\n'));
      }
    },
  });
}

interface LastFailures {
  /** The results of the last run in VS Code's format. */
  readonly reported: string;
  /** The same results for the model. */
  readonly told: string;
}

/** @throws TimeOverError after a time-out */
async function lastFailures(
  ports: Pick<ToolPorts, 'clock' | 'editor' | 'tests'>,
  signal: AbortSignal,
): Promise<LastFailures> {
  const reported = await withinTime(lookLimit, ports, signal, (unwanted) => ports.tests.lastFailures(unwanted));
  return { reported, told: await describeTestResults(reported, ports, signal) };
}

/**
 * Returns what VS Code knows of the last run. It does not always report the end of a run that ends immediately, so this may
 * be all of its results, or those before the time limit.
 */
async function knownFailures(
  ports: Pick<ToolPorts, 'clock' | 'editor' | 'tests'>,
  signal: AbortSignal,
): Promise<string[]> {
  try {
    const { reported, told } = await lastFailures(ports, signal);
    if (reported.includes('<testFailure')) return [partialFailures, told];
    return told === '' ? [noFailuresYet] : [noFailuresYet, told];
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

class TimeOverError extends ToolError {}

interface TimeLimit {
  readonly seconds: number;
  /** Error message after a time-out. */
  readonly late: string;
}

/** @throws TimeOverError after a time-out */
async function withinTime<T>(
  { late, seconds }: TimeLimit,
  { clock }: Pick<ToolPorts, 'clock'>,
  signal: AbortSignal,
  work: (unwanted: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(clock, 'VS Code', seconds * 1_000, work, { signal });
  } catch (error) {
    throw error instanceof TimeoutError ? new TimeOverError(late) : error;
  }
}

async function listTests(
  files: readonly string[],
  { editor, tests }: Pick<ToolPorts, 'editor' | 'tests'>,
): Promise<string> {
  if (files.length === 0) {
    const providers = await tests.providers();
    if (providers.length === 0)
      return 'VS Code has found no tests here. An extension for the test runner may be missing or still searching: use tasks.';
    return `VS Code has tests of: ${providers.map(oneLine).join(', ')}. Name files to list theirs.`;
  }
  const rows: string[] = [];
  let count = 0;
  for (const file of files) {
    const found = await tests.testsIn(file);
    const name = displayPath(file, editor);
    rows.push(found.length === 0 ? `${name}: none found yet` : `${name}: ${countWithNoun(found.length, 'test')}`);
    for (const path of found) {
      if (++count <= maxListed) rows.push(`  ${truncateText(oneLine(path.join(' > ')), maxNameLength)}`);
    }
  }
  return [...rows, ...(count > maxListed ? [`… ${count - maxListed} more`] : [])].join('\n');
}

/** @throws ToolError if the user does not allow it */
async function requirePermit(
  { files, names }: SelectedTests,
  { editor }: Pick<ToolPorts, 'editor'>,
  { caller, signal }: ActingCall,
): Promise<void> {
  const which = names.length > 0 ? ` ${names.map((name) => `“${name}”`).join(', ')}` : '';
  const where = files.length > 0 ? ` in ${files.map((file) => displayPath(file, editor)).join(', ')}` : '';
  const all = which === '' && where === '' ? ' all' : '';
  const command = {
    argv: [oneLine(`VS Code tests:${all}${which}${where}`)],
    cwd: editor.folders[0]?.path ?? '',
    env: {},
    warning,
  };
  const permit = await caller.mayRun(command, signal);
  signal.throwIfAborted();
  if (!permit.isGranted) throw new ToolError(`No test was run. ${permit.reason}`);
}
