import { readdirSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { summaryOf } from '../../scripts/lib/tests/mochaSummary.mjs';
import type { FileResult } from '../../scripts/lib/tests/summary.mjs';
import { Results } from './support/results';
import { withSourcePlaces } from './support/sourcePlaces';

/**
 * What VS Code calls for `extensionTestsPath`, in the desktop and in the browser host: activates the extension, then
 * runs every bundled test beside this file. Resolves whatever the tests did; their outcome is in the results file.
 */
export async function run(): Promise<void> {
  const results = new Results(process.env);
  const root = join(__dirname, '..', '..', '..');
  const print = (...args: unknown[]): void =>
    results.write({ type: 'text', text: withSourcePlaces(format(...args), root) });
  results.write({
    type: 'start',
    pid: process.pid,
    vscode: vscode.version,
    node: process.version,
    ui: vscode.env.uiKind === vscode.UIKind.Web ? 'browser' : 'desktop',
  });
  try {
    process.setSourceMapsEnabled(true);
    await vscode.extensions.getExtension('backline.backline')?.activate();
    const onResult = (result: FileResult): void => results.write({ type: 'result', result });
    await runMocha(testFiles(process.env), print, onResult);
    results.write({ type: 'end' });
  } catch (error) {
    results.write({ type: 'broken', error: format(error) });
  }
}

/** Every bundled test beside this file; only those of BACKLINE_TEST_FILES when that is set. */
function testFiles(env: NodeJS.ProcessEnv): string[] {
  const chosen = env['BACKLINE_TEST_FILES'];
  if (chosen) return chosen.split(delimiter);
  const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.js')).map((file) => join(__dirname, file));
}

async function runMocha(
  files: readonly string[],
  print: (...args: unknown[]) => void,
  onResult: (result: FileResult) => void,
): Promise<void> {
  Mocha.reporters.Base.consoleLog = print;
  // Longer than a few waits of `eventually`, which say what did not come.
  const mocha = new Mocha({ ui: 'bdd', timeout: 180_000, color: false, reporter: 'spec', forbidOnly: true });
  // By their names, so that a file that moves to another folder runs at the same place.
  const named = files.map((file) => ({ file, name: basename(file) }));
  for (const { file } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) mocha.addFile(file);
  const before = new Set(process.listeners('uncaughtException'));
  await summaryOf(mocha, (runner) => runner.once('start', () => ignoreForeignErrors(before)), onResult);
}

/**
 * VS Code's own extensions run in this process too, and what they throw (git, when a repository is removed under its
 * hands) is no failure of a test. `before` are the listeners that mocha did not add.
 */
function ignoreForeignErrors(before: ReadonlySet<NodeJS.UncaughtExceptionListener>): void {
  for (const listener of process.listeners('uncaughtException')) {
    if (before.has(listener)) continue;
    process.off('uncaughtException', listener);
    process.on('uncaughtException', (error, origin) => {
      if (!/[\\/]vscode[\\/]extensions[\\/]/.test(error.stack ?? '')) listener(error, origin);
    });
  }
}
