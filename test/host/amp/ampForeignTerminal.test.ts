import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { closeAll, closeTerminals, show, writeInWorkspace } from '../support/workspace';

describe('a terminal of the user that is called Amp', () => {
  let terminal: vscode.Terminal;

  before(async () => {
    terminal = vscode.window.createTerminal({ name: 'Amp' });
    await terminal.processId;
  });

  after(async () => {
    await closeTerminals((other) => other === terminal);
    await closeAll();
  });

  it('is not typed into: the clipboard gets the mention', async () => {
    const editor = await show(await writeInWorkspace('amp/my songs.txt', 'one\ntwo\n'));
    editor.selection = new vscode.Selection(0, 0, 0, 2);
    terminal.show(true);
    await eventually('the mention', async () => {
      await vscode.commands.executeCommand(commandIds.ampAddSelection);
      assert.equal(await vscode.env.clipboard.readText(), '@"amp/my songs.txt"#L1');
    });
  });
});
