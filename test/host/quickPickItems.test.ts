import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { LiveQuickPickItems } from '../../src/platform/vscode/liveQuickPickItems';
import { eventually } from '../support/eventually';

describe('the items of a pick that is open', () => {
  let pick: vscode.QuickPick<vscode.QuickPickItem>;
  let items: LiveQuickPickItems<vscode.QuickPickItem>;

  const named = (...labels: string[]): vscode.QuickPickItem[] => labels.map((label) => ({ label }));
  const active = (): string | undefined => pick.activeItems[0]?.label;

  beforeEach(async () => {
    pick = vscode.window.createQuickPick();
    items = new LiveQuickPickItems(pick, (one, other) => one.label === other.label);
    items.replace(named('one', 'two', 'three'));
    pick.show();
    await eventually('the list', () => assert.equal(active(), 'one'));
    await vscode.commands.executeCommand('quickInput.next');
    await eventually('the next one', () => assert.equal(active(), 'two'));
  });
  afterEach(() => {
    items.dispose();
    pick.dispose();
  });

  it('keep the highlight where it is, however fast they change', async () => {
    const labels = ['one', 'two', 'three'];
    for (let round = 0; round < 40; round++) {
      labels.unshift(`new ${round}`);
      items.replace(named(...labels));
      // Changes at any speed are what is tested.
      await sleep(round % 5);
    }
    await eventually('the last list', () => assert.equal(pick.items.length, labels.length));
    // VS Code would move the highlight a little later, and tells of nothing when it does not.
    await sleep(100);
    await eventually('the same', () => assert.equal(active(), 'two'));
  });

  it('are walked from there', async () => {
    const settled = new Promise((resolve) => {
      pick.onDidChangeActive(([item]) => item?.label === 'two' && resolve(undefined));
    });
    items.replace(named('zero', 'one', 'two', 'three'));
    await settled;
    await vscode.commands.executeCommand('quickInput.next');
    await eventually('the next one', () => assert.equal(active(), 'three'));
    items.replace(named('three', 'four'));
    await eventually('the last list', () => assert.equal(pick.items.length, 2));
    // VS Code would move the highlight a little later, and tells of nothing when it does not.
    await sleep(100);
    await eventually('the same', () => assert.equal(active(), 'three'));
  });

  it('begin at the top when what was highlighted is gone', async () => {
    items.replace(named('four', 'five'));
    await eventually('the first', () => assert.equal(active(), 'four'));
  });

  it('stay at the top where that is wanted', async () => {
    await vscode.commands.executeCommand('quickInput.previous');
    await eventually('the first', () => assert.equal(active(), 'one'));
    items.replace(named('better', 'one', 'two'), { keepsHighlightOnFirstItem: false });
    await eventually('the new first', () => assert.equal(active(), 'better'));
  });
});
