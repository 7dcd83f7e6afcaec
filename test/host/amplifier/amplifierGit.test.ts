import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { ContextSwitches } from '../../../src/amplifier/common/context/contextSwitches';
import { DocumentLanguages } from '../../../src/amplifier/vscode/documentLanguages';
import { createContextCollector } from '../../../src/amplifier/vscode/editorContext';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

interface GitExtension {
  getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> };
}

const run = promisify(execFile);
const git = (...args: string[]): Promise<unknown> =>
  run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: inWorkspace() });

describe('what Amplifier is told of Git', () => {
  let subject: AdapterUnderTest;

  beforeEach(() => {
    subject = new AdapterUnderTest();
  });
  afterEach(() => subject.dispose());
  after(async () => {
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(inWorkspace()));
    // A Git of VS Code's may still be at work there.
    await eventually('no .git', () => rm(inWorkspace('.git'), { recursive: true, force: true }));
    await rm(inWorkspace('tracked'), { recursive: true, force: true });
  });

  const told = async () => {
    const switches = new ContextSwitches([], () => undefined);
    return (await createContextCollector(subject.adapter, switches, new DocumentLanguages(), () => false).collect())
      .git_state;
  };

  it('is nothing without a repository', async () => {
    assert.equal(await told(), undefined);
  });

  it('is the branch and the staged, modified and untracked files of a real repository, without excluded ones', async () => {
    const [staged, modified, untracked] = await Promise.all(
      ['staged', 'modified', 'untracked'].map((name) => writeInWorkspace(`tracked/${name}.txt`, 'one\n')),
    );
    assert.ok(staged && modified && untracked !== undefined);
    const secret = await writeInWorkspace('tracked/.env', 'KEY=1\n');
    await git('init', '--initial-branch', 'feature/told');
    await git('add', modified, secret);
    await git('commit', '--quiet', '--message', 'first');
    await writeFile(modified, 'two\n');
    await writeFile(secret, 'KEY=2\n');
    await git('add', staged);

    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    assert.ok(extension, 'VS Code brings its Git extension');
    const exported = await extension.activate();
    await exported.getAPI(1).openRepository(vscode.Uri.file(inWorkspace()));
    const state = await eventually('the state of the repository', async () => {
      const now = await told();
      assert.deepEqual(now?.staged_files, ['tracked/staged.txt']);
      return now;
    });
    assert.equal(state.branch, 'feature/told');
    assert.deepEqual(state.modified_files, ['tracked/modified.txt']);
    assert.ok(state.untracked_files.includes('tracked/untracked.txt'));
    assert.ok(!JSON.stringify(state).includes('.env'), JSON.stringify(state));
  });
});
