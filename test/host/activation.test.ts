import assert from 'node:assert/strict';
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
});
