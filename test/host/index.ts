import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { summaryOf } from '../../scripts/lib/mochaSummary.mjs';
import type { Summary } from '../../scripts/lib/summary.mjs';
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
    results.write({ type: 'end', ...(await runMocha(print)) });
  } catch (error) {
    print('The test run broke: %s', error instanceof Error ? error.stack : error);
    results.write({ type: 'end', passes: 0, failures: 1, pending: 0, failed: [String(error)] });
  }
}

async function runMocha(print: (...args: unknown[]) => void): Promise<Summary> {
  Mocha.reporters.Base.consoleLog = print;
  // Longer than a few waits of `eventually`, which say what did not come.
  const mocha = new Mocha({ ui: 'bdd', timeout: 180_000, color: false, reporter: 'spec', forbidOnly: true });
  const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' });
  for (const file of files.sort()) if (file.endsWith('.test.js')) mocha.addFile(join(__dirname, file));
  const before = new Set(process.listeners('uncaughtException'));
  return summaryOf(mocha, (runner) => runner.once('start', () => ignoreForeignErrors(before)));
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
