import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { LiveQuickPickItems } from '../../src/platform/vscode/liveQuickPickItems';
import { eventually } from '../support/eventually';

describe('the items of a pick that is open', () => {
  let pick: vscode.QuickPick<vscode.QuickPickItem>;
  let items: LiveQuickPickItems<vscode.QuickPickItem>;

  const named = (...labels: string[]): vscode.QuickPickItem[] => labels.map((label) => ({ label }));
  /** Resolves when VS Code says that it has highlighted the row. */
  const highlights = (label: string): Promise<void> =>
    new Promise((resolve) => {
      pick.onDidChangeActive(([item]) => item?.label === label && resolve());
    });
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
    const settled = highlights('two');
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

  it('are taken as the user saw them, also when others are on their way', async () => {
    const chosen = new Promise<string>((resolve) => items.onDidAccept(({ label }) => resolve(label)));
    const accepted = vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    // Is sent after the key, and before the answer to it.
    items.replace(named('new', 'one', 'two', 'three'));
    await accepted;
    assert.equal(await chosen, 'two');
  });

  it('are taken from the new list once that is shown', async () => {
    const chosen = new Promise<string>((resolve) => items.onDidAccept(({ label }) => resolve(label)));
    const settled = highlights('two');
    items.replace(named('new', 'one', 'two', 'three'));
    await settled;
    await vscode.commands.executeCommand('quickInput.next');
    await eventually('the next one', () => assert.equal(active(), 'three'));
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    assert.equal(await chosen, 'three');
  });
});
