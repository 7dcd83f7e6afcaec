import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

interface GitExtension {
  getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> };
}

const runFile = promisify(execFile);
const songs = (price: string): string => `one\nprice: ${price}\nthree\n`;

/** Real merges by Git, in a repository that VS Code's Git extension has opened. */
describe('a merge conflict, given to an agent', () => {
  let subject: StartingPointsUnderTest;
  let root: string;
  let repositories = 0;
  const git = async (...args: string[]): Promise<unknown> =>
    await runFile('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: root });

  beforeEach(() => (subject = new StartingPointsUnderTest()));
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(root));
    await eventually('no repository', () => rm(root, { recursive: true, force: true }));
  });

  /** Returns the file with the conflict, open in an editor. */
  const merge = async (style: 'merge' | 'diff3'): Promise<vscode.TextEditor> => {
    const folder = `merged${++repositories}`;
    root = inWorkspace(folder);
    const file = await writeInWorkspace(`${folder}/songs.txt`, songs('1'));
    await git('init', '--quiet', '--initial-branch', 'main');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'first');
    await git('checkout', '--quiet', '-b', 'cheaper');
    await writeInWorkspace(`${folder}/songs.txt`, songs('0'));
    await git('commit', '--quiet', '--all', '--message', 'cheaper');
    await git('checkout', '--quiet', 'main');
    await writeInWorkspace(`${folder}/songs.txt`, songs('2'));
    await git('commit', '--quiet', '--all', '--message', 'dearer');
    await assert.rejects(git('-c', `merge.conflictStyle=${style}`, 'merge', 'cheaper'));
    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    assert.ok(extension);
    await (await extension.activate()).getAPI(1).openRepository(vscode.Uri.file(root));
    return await show(file);
  };

  it('is offered above the conflict, with both sides, the names of the branches and the file before', async () => {
    const { document } = await merge('merge');
    const lens = await eventually('the lens', async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
        100,
      );
      const found = lenses.find(({ command }) => command?.title === 'Resolve with Agent');
      assert.ok(found?.command);
      return found;
    });
    assert.equal(lens.range.start.line, 1);
    const args: readonly unknown[] = lens.command?.arguments ?? [];
    await eventually('the branch', async () => {
      const { prompt } = await subject.run(lens.command?.command ?? '', ...args);
      const place = `${vscode.workspace.asRelativePath(document.uri)}, lines 2 to 6`;
      assert.equal(
        prompt,
        `Resolve the merge conflict in ${place} between main and cheaper. Keep what both sides intend, and remove the markers.`,
      );
    });
    const { texts } = await subject.run(lens.command?.command ?? '', ...args);
    assert.match(
      texts[0]?.text ?? '',
      /Here \(main\):\nprice: 2\nThere \(cheaper\):\nprice: 0\n[^]*The whole file before both changes:\none\nprice: 1\nthree\n/,
    );
  });

  it('has the base of the markers, and is offered in the lightbulb and in the Source Control view', async () => {
    const { document } = await merge('diff3');
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      new vscode.Range(2, 0, 2, 0),
    );
    const offered = actions.filter(({ title }) => title.includes('Agent'));
    assert.deepEqual(
      offered.map(({ title }) => title),
      ['Resolve Conflict with Agent', 'Resolve Conflict with Another Agent…'],
    );
    const args: readonly unknown[] = offered[1]?.command?.arguments ?? [];
    const resolved = await subject.run(offered[1]?.command?.command ?? '', ...args);
    assert.equal(resolved.picksAgent, true);
    assert.match(resolved.texts[0]?.text ?? '', /Here \(.*\):\nprice: 2\nBefore both changes:\nprice: 1\nThere \(/);
    assert.doesNotMatch(resolved.texts[0]?.text ?? '', /The whole file/);
    // As a row of the Source Control view has it.
    const ofRow = await subject.run(commandIds.startingPointsResolveConflict, { resourceUri: document.uri }, []);
    assert.equal(ofRow.texts[0]?.text, resolved.texts[0]?.text);
  });

  it('is not offered in an excluded file, nor where there is none', async () => {
    const { document } = await merge('merge');
    subject.editor.changeExclude('**/songs.txt');
    await assert.rejects(subject.run(commandIds.startingPointsResolveConflict, document.uri, 1), {
      name: 'EditorError',
    });
    await closeAll();
    await show(await writeInWorkspace('hurts/calm.txt', 'one\n'));
    await assert.rejects(subject.run(commandIds.startingPointsResolveConflict), /no merge conflict in this file/);
  });
});
