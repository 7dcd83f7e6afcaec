import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { closeAll, inWorkspace, writeInWorkspace } from '../support/workspace';

const { startingPointsFixTest: fix, startingPointsFixTestWithAnother: fixWithAnother } = commandIds;

const runFile = promisify(execFile);

/** A real test controller, whose tests were run by VS Code. */
describe('a failed test, given to an agent', () => {
  let subject: StartingPointsUnderTest;
  let controller: vscode.TestController;
  let subtracts: vscode.TestItem;
  let message: vscode.TestMessage;
  let hasRun: boolean;

  beforeEach(async () => {
    subject = new StartingPointsUnderTest();
    const uri = vscode.Uri.file(await writeInWorkspace('hurts/sum.test.ts', 'adds\nsubtracts\n'));
    const hidden = vscode.Uri.file(await writeInWorkspace('hurts/.env.test.ts', 'secret\n'));
    controller = vscode.tests.createTestController('backline-starts', 'Backline starts');
    const group = controller.createTestItem('sums', 'sums', uri);
    subtracts = controller.createTestItem('subtracts', 'subtracts', uri);
    subtracts.range = new vscode.Range(1, 0, 1, 4);
    const adds = controller.createTestItem('adds', 'adds', uri);
    group.children.replace([adds, subtracts]);
    controller.items.add(group);
    message = vscode.TestMessage.diff('not equal', '3', '4');
    message.location = new vscode.Location(uri, new vscode.Position(1, 2));
    const at = new vscode.Position(4, 0);
    message.stackTrace = [
      new vscode.TestMessageStackFrame('subtract', uri, new vscode.Position(0, 1)),
      new vscode.TestMessageStackFrame('of a secret', hidden, at),
      new vscode.TestMessageStackFrame('of a library', vscode.Uri.file('/usr/lib/assert.js'), at),
    ];
    hasRun = false;
    const run = async (request: vscode.TestRunRequest): Promise<void> => {
      const started = controller.createTestRun(request);
      started.started(subtracts);
      // As real ones do: VS Code does not always report a run that ends at once.
      await runFile(process.execPath, ['--version']);
      started.failed(subtracts, message, 5);
      started.passed(adds, 1);
      started.end();
      hasRun = true;
    };
    controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, run, true);
    await eventually('the tests have run', async () => {
      // VS Code learns of new tests a little later.
      await vscode.commands.executeCommand('testing.runAll');
      assert.ok(hasRun);
    });
  });
  afterEach(async () => {
    subject.dispose();
    controller.dispose();
    await closeAll();
  });

  it('has message, values, place and stack, without files that agents may not read', async () => {
    const { prompt, texts, picksAgent } = await subject.run(fix, { test: subtracts, message });
    assert.equal(prompt, 'The test “sums > subtracts” fails. Find out why, and fix it.');
    assert.equal(picksAgent, false);
    const file = inWorkspace('hurts', 'sum.test.ts');
    assert.deepEqual(texts, [
      {
        title: 'Failed test: subtracts',
        text: `Failed test: sums > subtracts
${file}:2

not equal
Expected:
3
Actual:
4
  at ${file}:2:3
  at subtract (${file}:1:2)
  at of a secret
  at of a library

Lines of ${file}:
1: adds
2: subtracts
3: `,
      },
    ]);
  });

  it('has what VS Code reports of the last run, for a test and for its group, and asks for the agent with Alt', async () => {
    for (const test of [subtracts, subtracts.parent]) {
      await eventually('the report', async () => {
        const { texts, picksAgent } = await subject.run(fixWithAnother, test);
        assert.equal(picksAgent, true);
        assert.match(texts[0]?.text ?? '', /<testFailure name="subtracts"[^]*3[^]*4/);
        assert.doesNotMatch(texts[0]?.text ?? '', /\.env/);
      });
    }
  });

  it('is not given to an agent if it is in an excluded file', async () => {
    const hidden = controller.createTestItem('hidden', 'hidden', vscode.Uri.file(inWorkspace('hurts', '.env.test.ts')));
    controller.items.add(hidden);
    await assert.rejects(subject.run(fix, hidden), { name: 'EditorError' });
    await assert.rejects(subject.run(fix, undefined), /Choose a failed test/);
    const folder = controller.createTestItem('folder', 'folder', vscode.Uri.file(inWorkspace('hurts')));
    controller.items.add(folder);
    assert.match((await subject.run(fix, folder)).prompt, /The test “folder” fails/);
  });
});
