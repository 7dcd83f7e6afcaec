import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import { eventually } from '../support/eventually';
import { closeAll } from './support/workspace';

const Nls = z.record(z.string(), z.string());

describe('the walkthrough', () => {
  afterEach(closeAll);

  it('begins with the page of agents, which its button opens', async () => {
    const extension = vscode.extensions.getExtension('backline.backline');
    assert.ok(extension);
    const nls = Nls.parse(JSON.parse(await readFile(`${extension.extensionPath}/package.nls.json`, 'utf8')));
    const button = /\[Open Agents\]\(command:([\w.]+)\)/.exec(nls['walkthrough.agent.description'] ?? '');
    assert.ok(button?.[1] !== undefined);
    await vscode.commands.executeCommand(button[1]);
    await eventually('the page', () => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      assert.ok(activeTab?.input instanceof vscode.TabInputWebview);
      assert.equal(activeTab.label, 'Agents');
    });
  });
});
