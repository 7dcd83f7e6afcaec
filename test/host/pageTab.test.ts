import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PageTab } from '../../src/webview/vscode/pageTab';
import { eventually } from '../support/eventually';
import { inExtension } from './support/workspace';

describe('an editor tab with a page', () => {
  it('is one at a time, and has a host until it is closed', async () => {
    const panels: vscode.WebviewPanel[] = [];
    const tab = new PageTab({
      ...{ viewType: 'backline.test', title: 'Test', name: 'permissions' },
      extensionUri: vscode.Uri.file(inExtension()),
      createHost: (panel) => {
        panels.push(panel);
        return { start: () => undefined };
      },
    });
    assert.equal(tab.host, undefined);
    const host = tab.show();
    assert.equal(tab.show(), host);
    assert.equal(tab.host, host);
    assert.equal(panels.length, 1);
    // Nothing can be asked of its panel after that: it throws.
    panels[0]?.dispose();
    await eventually('no tab', () => assert.equal(tab.host, undefined));
    assert.notEqual(tab.show(), host);
    assert.equal(panels.length, 2);
    panels[1]?.dispose();
    tab.dispose();
  });
});
