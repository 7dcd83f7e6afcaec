import assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../src/manifest';

describe('activation', () => {
  it('has happened, in the workspace of the test', () => {
    assert.equal(vscode.extensions.getExtension('backline.backline')?.isActive, true);
    assert.equal(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath, process.env['BACKLINE_TEST_WORKSPACE']);
  });

  it('registers every command of the manifest', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(commandIds).filter((id) => !registered.has(id)),
      [],
    );
  });

  it('loads the chat and the threads when a command needs them, not before', async () => {
    const isLoaded = (bundle: string): boolean =>
      Object.keys(require.cache).some((file) => file.endsWith(path.join('dist', `${bundle}.js`)));
    assert.ok(isLoaded('extension'));
    for (const [bundle, command] of [
      ['chat', commandIds.chatStop],
      ['threads', commandIds.threadsRefresh],
    ] as const) {
      assert.equal(isLoaded(bundle), false, bundle);
      await vscode.commands.executeCommand(command);
      assert.equal(isLoaded(bundle), true, bundle);
    }
  });
});
