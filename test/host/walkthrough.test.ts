import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import { eventually } from '../support/eventually';
import { closeAll } from './support/workspace';

const Nls = z.record(z.string(), z.string());

describe('the walkthrough', () => {
  afterEach(closeAll);

  it('opens the agents in settings.json, as the Settings editor cannot change them', async () => {
    const extension = vscode.extensions.getExtension('backline.backline');
    assert.ok(extension);
    const nls = Nls.parse(JSON.parse(await readFile(`${extension.extensionPath}/package.nls.json`, 'utf8')));
    const button = /\[Open the Setting\]\(command:([\w.]+)\?([^)]+)\)/.exec(nls['walkthrough.agent.description'] ?? '');
    assert.ok(button?.[1] !== undefined && button[2] !== undefined);
    const args = z.array(z.unknown()).parse(JSON.parse(decodeURIComponent(button[2])));
    await vscode.commands.executeCommand(button[1], ...args);
    await eventually('the setting', () => {
      const document = vscode.window.activeTextEditor?.document;
      assert.match(document?.fileName ?? '', /settings\.json$/);
      assert.match(document?.getText() ?? '', /"backline\.acp\.agents"/);
    });
  });
});
