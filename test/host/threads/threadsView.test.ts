import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { answer, envOf, prompt, threadId, ThreadsUnderTest } from '../support/threads';
import { inWorkspace } from '../support/workspace';

const said = () => [prompt('Hello', 0), answer('World', 1)];
const edited = () => [
  prompt('Change it', 0),
  {
    role: 'assistant',
    messageId: 1,
    content: [{ type: 'tool_use', id: 'c1', name: 'edit_file', complete: true, input: {} }],
    state: { type: 'complete', stopReason: 'tool_use' },
  },
  { role: 'user', messageId: 2, content: [{ type: 'tool_result', toolUseID: 'c1', run: { status: 'done' } }] },
  answer('Done', 3),
];

describe('the list of Amp threads', () => {
  let tested: ThreadsUnderTest;

  beforeEach(async () => {
    tested = await ThreadsUnderTest.start();
  });
  afterEach(() => tested.dispose());

  async function writeAll(): Promise<void> {
    await tested.write(1, 'Plain', said(), { agentMode: 'smart' });
    await tested.write(2, 'Rushed', said(), { agentMode: 'rush' });
    await tested.write(3, 'Changing', edited(), { agentMode: 'smart' });
    await tested.write(4, 'Put away', said(), { archived: true });
    await tested.write(5, 'Elsewhere', said(), { env: envOf('/somewhere/else') });
    await tested.rows();
  }

  /** Titles of the threads, without the groups. */
  async function titles(): Promise<string[]> {
    const rows = (await tested.rows()).filter((row) => tested.view.threadIdOf(row) !== undefined);
    return rows.map((row) => tested.labelOf(row)).sort();
  }

  it('shows threads of one mode, those that changed files, and archived ones as it is told', async () => {
    await writeAll();
    assert.deepEqual(await titles(), ['Changing', 'Elsewhere', 'Plain', 'Rushed']);
    await tested.view.setFilters({ mode: 'rush' });
    assert.deepEqual(await titles(), ['Rushed']);
    await tested.view.setFilters({ mode: undefined, onlyChanges: true });
    assert.deepEqual(await titles(), ['Changing']);
    await tested.view.setFilters({ onlyChanges: false, showArchived: true });
    assert.ok((await titles()).includes('Put away'));
  });

  it('shows threads of one source', async () => {
    await writeAll();
    const file = path.join(tested.folder, 'export.json');
    await writeFile(file, JSON.stringify({ id: threadId(9), title: 'Exported', messages: said() }));
    await tested.threads.files.add(file);
    await tested.threads.library.refresh();
    await tested.view.setFilters({ source: 'file' });
    assert.deepEqual(await titles(), ['Exported']);
    await tested.view.setFilters({ source: 'local' });
    assert.ok(!(await titles()).includes('Exported'));
    await tested.view.setFilters({ source: 'cli' });
    assert.deepEqual(await titles(), []);
  });

  it('is grouped by day or by folder, this workspace first or all together', async () => {
    // Threads of the future count as today's: it may end while they are written.
    tested.nowMs = Date.now();
    await writeAll();
    assert.deepEqual(await tested.view.getChildren().then((rows) => rows.map((row) => tested.labelOf(row))), [
      'Today',
      'Other folders',
    ]);
    await tested.view.setFilters({ groupBy: 'folder', scope: 'all' });
    const groups = (await tested.view.getChildren()).map((row) => tested.labelOf(row));
    assert.deepEqual(groups.sort(), ['else', path.basename(inWorkspace())].sort());
  });

  it('marks threads that run, and those with something new until they are read', async () => {
    await tested.rows();
    await tested.write(1, 'Running', [prompt('Go', 0), answer('Half', 1, { type: 'streaming' })]);
    await tested.write(2, 'News', said());
    await eventually('both', async () => assert.equal((await titles()).length, 2));
    const decorationOf = (n: number): string | undefined => tested.view.getTreeItem(threadId(n)).resourceUri?.query;
    assert.equal(decorationOf(1), 'running');
    assert.equal(decorationOf(2), 'unread');
    assert.match(String(tested.view.getTreeItem(threadId(1)).description), /^running/);
    assert.match(String(tested.view.getTreeItem(threadId(2)).description), /^new/);
    const head = tested.threads.library.find(threadId(2));
    assert.ok(head && tested.marks.markRead(head, 'm1.0'));
    tested.view.refreshChangedRows();
    assert.equal(decorationOf(2), 'plain');
  });

  it('opens a thread by a click on its row', async () => {
    await writeAll();
    const { command } = tested.view.getTreeItem(threadId(1));
    assert.deepEqual([command?.command, command?.arguments], [commandIds.threadsOpen, [threadId(1)]]);
  });

  it('takes files that are dropped on it, but not its own', async () => {
    await writeAll();
    const transfer = new vscode.DataTransfer();
    const lines = [
      '# from somewhere',
      vscode.Uri.file('/home/kü/an export.json').toString(),
      'https://example.com/T-1.json',
      vscode.Uri.file(tested.file(1)).toString(),
      '',
    ];
    transfer.set('text/uri-list', new vscode.DataTransferItem(lines.join('\r\n')));
    await tested.view.handleDrop(undefined, transfer);
    // What is no file, who opens them tells the user.
    assert.deepEqual(tested.dropped, [lines[1], lines[2]]);
  });

  it('gives the files of its rows to where they are dragged', async () => {
    await writeAll();
    const transfer = new vscode.DataTransfer();
    tested.view.handleDrag([threadId(1), threadId(2), 'no thread'], transfer);
    const list = await transfer.get('text/uri-list')?.asString();
    const files = [1, 2].map((n) => vscode.Uri.file(tested.file(n)).toString());
    assert.equal(list, files.join('\r\n'));
  });

  it('shows forks below what they were forked from', async () => {
    await tested.write(1, 'Parent', said());
    await tested.write(2, 'Forked: Parent', said(), { originThreadID: threadId(1) });
    await tested.rows();
    assert.deepEqual(await tested.view.getChildren(threadId(1)), [threadId(2)]);
    assert.equal(tested.view.getParent(threadId(2)), threadId(1));
  });
});
