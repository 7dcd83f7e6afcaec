import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { eventually, until } from '../../support/eventually';
import { ToolsUnderTest } from '../support/tools';
import { inWorkspace, setSetting, writeInWorkspace } from '../support/workspace';

/** VS Code asks before it runs tests for an extension, unless the user has turned that off. Nobody is there to answer. */
const autoApprove = 'chat.tools.global.autoApprove';
const testMode = 'vscode.chat.tools.global.autoApprove.testMode';

const runFile = promisify(execFile);

type Ending = (run: vscode.TestRun, test: vscode.TestItem) => void;

/** A provider of tests, as an extension for a test runner is. Dispose it. */
class Provider {
  /** Labels of the tests that were run, in order. */
  readonly ran: string[] = [];
  /** Whether tests wait until they are cancelled, end at once, or run a program, as real ones do. */
  pace: 'hanging' | 'instant' | 'real' = 'real';
  cancelledCount = 0;
  private readonly controller = vscode.tests.createTestController('backline-tests', 'Backline');
  private readonly endings = new Map<vscode.TestItem, Ending>();

  constructor() {
    const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> =>
      this.run(request, token);
    this.controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, run, true);
  }

  /** Adds a file with a group of tests. */
  add(file: string, endings: Readonly<Record<string, Ending>>): void {
    const uri = vscode.Uri.file(file);
    const group = this.controller.createTestItem(file, `all of ${vscode.workspace.asRelativePath(uri)}`, uri);
    for (const [label, ending] of Object.entries(endings)) {
      const test = this.controller.createTestItem(label, label, uri);
      test.range = new vscode.Range(group.children.size, 0, group.children.size, 4);
      this.endings.set(test, ending);
      group.children.add(test);
    }
    this.controller.items.add(group);
  }

  dispose(): void {
    this.controller.dispose();
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const included = request.include ?? [...this.controller.items].map(([, item]) => item);
    for (const test of included.flatMap(leavesOf)) {
      this.ran.push(test.label);
      run.started(test);
      if (this.pace === 'hanging') await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
      if (this.pace === 'real') await runFile(process.execPath, ['--version']);
      if (token.isCancellationRequested) break;
      this.endings.get(test)?.(run, test);
    }
    if (token.isCancellationRequested) this.cancelledCount++;
    run.end();
  }
}

function leavesOf(item: vscode.TestItem): vscode.TestItem[] {
  return item.children.size === 0 ? [item] : [...item.children].flatMap(([, child]) => leavesOf(child));
}

const passes: Ending = (run, test) => run.passed(test, 12);
const isSkipped: Ending = (run, test) => run.skipped(test);
const fails: Ending = (run, test) => {
  const message = vscode.TestMessage.diff('not equal', '3', '4');
  assert.ok(test.uri && test.range);
  message.location = new vscode.Location(test.uri, test.range);
  run.appendOutput('printed by the test\r\n', undefined, test);
  run.failed(test, message, 5);
};
const breaks: Ending = (run, test) => run.errored(test, new vscode.TestMessage('cannot divide\nby zero'));

/** The tool `tests`, with a provider of tests in this VS Code and VS Code's own results. */
describe('the tool tests in VS Code', () => {
  let subject: ToolsUnderTest;
  let provider: Provider | undefined;
  let approvals = 0;

  before(async () => {
    await setSetting(autoApprove, true, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('setContext', testMode, true);
    await until('VS Code runs tests', () => vscode.lm.tools.some(({ name }) => name === 'runTests'));
  });
  after(async () => {
    await vscode.commands.executeCommand('setContext', testMode, undefined);
    await setSetting(autoApprove, undefined, vscode.ConfigurationTarget.Global);
  });
  beforeEach(async () => {
    subject = await ToolsUnderTest.start();
    approvals = 0;
  });
  afterEach(async () => {
    provider?.dispose();
    provider = undefined;
    await subject.stop();
    await rm(inWorkspace('checked'), { recursive: true, force: true });
  });

  async function start(): Promise<Provider> {
    const made = (provider = new Provider());
    const sum = await writeInWorkspace('checked/sum.test.ts', 'adds\nsubtracts\nmultiplies\ndivides\n');
    made.add(sum, { adds: passes, subtracts: fails, multiplies: isSkipped, divides: breaks });
    made.add(await writeInWorkspace('checked/other.test.ts', 'adds too\n'), { 'adds too': passes });
    await subject.tells('tests', { action: 'list', files: ['checked/sum.test.ts'] }, /divides/);
    return made;
  }

  /** Runs tests; the user allows it. */
  async function run(input: object = {}, signal?: AbortSignal): Promise<{ text: string; isError: boolean }> {
    const asked = subject.ask('tests', { action: 'run', timeout: 60, ...input }, signal);
    // A run that is refused at once is awaited by the caller.
    asked.catch(() => undefined);
    await subject.answer('Allow once', ++approvals);
    return await asked;
  }

  it('lists who has tests, and those of a file', async () => {
    await start();
    assert.match(await subject.call('tests', { action: 'list' }), /has tests of: .*backline-tests/);
    const listed = await subject.call('tests', { action: 'list', files: ['checked/sum.test.ts'] });
    for (const label of ['adds', 'subtracts', 'multiplies', 'divides'])
      assert.match(listed, new RegExp(`> ${label}$`, 'm'));
  });

  it('runs all, with what passed and why others did not', async () => {
    const { ran } = await start();
    const { text, isError } = await run();
    assert.ok(!isError, text);
    assert.deepEqual(ran.toSorted(), ['adds', 'adds too', 'divides', 'multiplies', 'subtracts']);
    assert.match(text, /^2 passed, 2 failed/);
    assert.match(
      text,
      /Failed: .*subtracts\n {2}expected:\n {2}3\n {2}actual:\n {2}4\n {2}at checked\/sum\.test\.ts:2/,
    );
    assert.match(text, /Failed: .*divides\n {2}cannot divide\n {2}by zero/);
    const failures = await subject.call('tests', { action: 'failures' });
    assert.match(failures, /Failed: .*subtracts[^]*Failed: .*divides/);
  });

  it('runs one file, and one test by its name', async () => {
    const { ran } = await start();
    assert.match((await run({ files: ['checked/other.test.ts'] })).text, /^1 passed, 0 failed/);
    assert.deepEqual(ran, ['adds too']);
    assert.match((await run({ files: ['checked/sum.test.ts'], names: ['divides'] })).text, /^0 passed, 1 failed/);
    assert.match((await run({ names: ['multiplies'] })).text, /^0 passed, 0 failed/);
    assert.deepEqual(ran, ['adds too', 'divides', 'multiplies']);
  });

  it('tells what failed in a run that ends at once, which VS Code does not always report', async () => {
    const made = await start();
    made.pace = 'instant';
    const { text } = await run({ files: ['checked/sum.test.ts'], timeout: 3 });
    assert.match(text, /^(?:1 passed, 2 failed|The run did not end within 3 s)/);
    assert.match(text, /Failed: .*subtracts[^]*Failed: .*divides/);
    assert.deepEqual(made.ran.length, 4);
  });

  it('ends a run that hangs, and tells it', async () => {
    const made = await start();
    made.pace = 'hanging';
    const { text, isError } = await run({ names: ['adds'], timeout: 3 });
    assert.ok(isError, text);
    assert.match(text, /did not end within 3 s/);
    assert.doesNotMatch(text, /The last run has no failures/);
    assert.match(text, /No failures were reported before it was stopped|Failures of the last run that VS Code knows/);
    await until('the run was cancelled', () => made.cancelledCount === 1);
  });

  it('cancels the run of a cancelled call', async () => {
    const made = await start();
    made.pace = 'hanging';
    const cancelled = new AbortController();
    const call = run({ names: ['adds'] }, cancelled.signal);
    const ended = assert.rejects(call);
    await until('the run has begun', () => made.ran.length > 0);
    cancelled.abort();
    await ended;
    await until('the run was cancelled', () => made.cancelledCount === 1);
  });

  it('says that there are no tests', async () => {
    await eventually('no tests', async () =>
      assert.match(await subject.call('tests', { action: 'list' }), /has found no tests here/),
    );
    const { text } = await run();
    assert.match(text, /VS Code has found no such tests/);
  });
});
