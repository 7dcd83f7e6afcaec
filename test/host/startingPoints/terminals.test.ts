import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { commandIds } from '../../../src/manifest';
import { FailedCommands } from '../../../src/startingPoints/vscode/failedCommands';
import { eventually } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { closeTerminals, inWorkspace } from '../support/workspace';

const { startingPointsExplainCommand: explainCommand, startingPointsExplainSelection: explainSelection } = commandIds;

/** The integrated terminal with bash, to which VS Code adds its shell integration. */
describe('what a terminal shows, given to an agent', () => {
  let subject: StartingPointsUnderTest;
  let failed: FailedCommands;
  let terminal: vscode.Terminal;
  let shell: vscode.TerminalShellIntegration;

  before(async () => {
    terminal = vscode.window.createTerminal({ name: 'Hurts', shellPath: '/bin/bash', cwd: inWorkspace() });
    terminal.show();
    shell = await eventually('the shell integration', () => {
      assert.ok(terminal.shellIntegration);
      return terminal.shellIntegration;
    });
    // VS Code does not tell the output and the folder of a command that begins before the first prompt.
    await run('true');
    await eventually('the folder', () => assert.equal(shell.cwd?.fsPath, inWorkspace()));
  });
  after(() => closeTerminals((one) => one === terminal));
  beforeEach(() => {
    subject = new StartingPointsUnderTest();
    failed = new FailedCommands(nullLogger);
    failed.start();
  });
  afterEach(() => {
    subject.dispose();
    failed.dispose();
  });

  /** Resolves with the exit code. */
  const run = async (commandLine: string): Promise<number | undefined> =>
    await new Promise((resolve) => {
      const listener = vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        if (execution.commandLine.value !== commandLine) return;
        listener.dispose();
        resolve(exitCode);
      });
      shell.executeCommand(commandLine);
    });
  const runAndFail = async (commandLine: string): Promise<void> => {
    assert.notEqual(await run(commandLine), 0);
    await eventually('the failed command', () => assert.equal(failed.last(true)?.commandLine, commandLine));
    subject.lastFailed = failed.last(false);
  };

  it('is the last command that has failed: command line, folder, exit code and output without colors', async () => {
    // VS Code may not report what a command writes in the moment in which it begins.
    await eventually('the output', async () => {
      await runAndFail(`bash -c 'printf "\\033[31mno such song\\033[0m\\n"; exit 3'`);
      assert.match(subject.lastFailed?.output ?? '', /no such song/);
    });
    assert.equal(await run('true'), 0);
    const { prompt, texts } = await subject.run(explainCommand);
    assert.equal(prompt, 'This command has failed. Find out why, and say how to fix it.');
    const [attached] = texts;
    assert.match(attached?.title ?? '', /^Failed command: bash -c /);
    assert.match(attached?.text ?? '', /\nExit code: 3\nOutput:\nno such song$/);
    assert.ok(attached?.text.includes(`\nFolder: ${inWorkspace()}\n`), attached?.text);
  });

  it('has the end of long output, and nothing of a command that the user has stopped', async () => {
    await runAndFail(`bash -c 'for i in $(seq 1 9000); do echo line $i; done; exit 1'`);
    const { texts } = await subject.run(explainCommand);
    assert.match(texts[0]?.text ?? '', /The end of its output:\n[^]*line 8999\nline 9000$/);
    assert.ok((texts[0]?.text.length ?? 0) < 34_000);
    await run(`bash -c 'exit 130'`);
    assert.match(failed.last(true)?.commandLine ?? '', /seq 1 9000/);
  });

  it('is the selection, and the clipboard is as before', async () => {
    await run('echo the selected words');
    await subject.runCommand(explainSelection);
    assert.deepEqual([subject.offers.length, subject.started], [1, []]);
    subject.isOfferTaken = true;
    await vscode.env.clipboard.writeText('what the user has copied');
    terminal.show();
    await eventually('the selection', async () => {
      await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
      const { texts } = await subject.run(explainSelection);
      assert.match(texts[0]?.text ?? '', /the selected words/);
    });
    assert.equal(subject.offers.length, 2);
    assert.equal(await vscode.env.clipboard.readText(), 'what the user has copied');
    await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
    await assert.rejects(subject.run(explainSelection), /Nothing is selected/);
    assert.equal(await vscode.env.clipboard.readText(), 'what the user has copied');
  });

  it('says so if no command has failed', async () => {
    await assert.rejects(subject.run(explainCommand), /No command has failed yet/);
  });
});
