import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { toDisposable } from '../../../src/base/common/disposable';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { AgentFollower } from '../../../src/chat/vscode/follow/agentFollower';
import { FakeChats, type FakeChat } from '../../fake/fakeChats';
import { MemoryMemento } from '../../fake/memoryMemento';
import { eventually, until } from '../../support/eventually';
import { ChatBackendSession } from '../../unit/chat/support/chatBackend';
import { event } from '../../unit/chat/support/transcriptRecorder';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);
const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');

describe('Follow', () => {
  let adapter: AdapterUnderTest;
  let chats: FakeChats;
  let chat: FakeChat;
  let memento: MemoryMemento;
  let session: ChatBackendSession;
  let follower: AgentFollower;
  /** Paths that were to be shown. */
  let considered: string[];
  beforeEach(async () => {
    adapter = new AdapterUnderTest();
    chats = new FakeChats();
    chat = chats.add('one');
    considered = [];
    memento = new MemoryMemento();
    session = new ChatBackendSession('s');
    follower = create();
    // Where places are shown first.
    await show(await writeInWorkspace('follow/first.txt', 'first'));
  });
  afterEach(async () => {
    follower.dispose();
    adapter.dispose();
    await closeAll();
    await rm(inWorkspace('follow'), { recursive: true, force: true });
  });

  function create(): AgentFollower {
    const created = new AgentFollower({
      clock: systemClock,
      log: nullLogger,
      commands: { setHandler: () => toDisposable(() => undefined) },
      chats,
      editor: {
        resolve: (file) => {
          considered.push(file);
          return adapter.adapter.resolve(file);
        },
        stat: (file) => adapter.adapter.stat(file),
        readBytes: (file, options) => adapter.adapter.readBytes(file, options),
      },
      memento,
    });
    created.start();
    created.followSession(session);
    return created;
  }

  function beginTurn(): void {
    session.turn = 'own';
    session.tell(event('prompt:submit', { prompt: 'Go' }));
    chat.change({ isBusy: true, status: 'busy' });
    chats.add('one', 'busy');
  }

  let calls = 0;
  function read(file: string, line?: number): void {
    const call = { tool_name: 'read', operation: 'read', call_id: `c${++calls}`, kind: 'read' };
    const locations = [{ path: file, ...(line !== undefined && { line }) }];
    session.tell(event('tool:pre', { ...call, input: {}, locations }));
    session.tell(event('tool:post', { ...call, result: { success: true } }));
  }

  const activeTab = (): vscode.Tab | undefined => vscode.window.tabGroups.activeTabGroup.activeTab;
  const openNames = (): string[] =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)).sort();

  async function shows(file: string): Promise<vscode.TextEditor> {
    return await eventually(`${file} is shown`, () => {
      const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === file);
      assert.ok(editor);
      return editor;
    });
  }

  async function follow(): Promise<void> {
    follower.toggle();
    beginTurn();
    const file = await writeInWorkspace('follow/begin.txt', lines);
    read(file, 100);
    await shows(file);
    // VS Code reports late what opening has changed.
    await until('the rest', () => vscode.window.activeTextEditor?.document.uri.fsPath === file);
  }

  it('shows what an agent reads in one preview editor, at the line', async () => {
    const [a, b] = [await writeInWorkspace('follow/a.txt', lines), await writeInWorkspace('follow/b.txt', lines)];
    follower.toggle();
    beginTurn();
    read(a, 150);
    const editor = await shows(a);
    await eventually('the line', () => {
      assert.ok(editor.visibleRanges.some(({ end, start: first }) => first.line <= 149 && end.line >= 149));
    });
    assert.deepEqual([activeTab()?.isPreview, editor.selection.start.line], [true, 0], 'the cursor stays');
    read(b);
    await shows(b);
    assert.deepEqual(openNames(), ['b.txt', 'first.txt']);
    assert.ok(follower.isOn);
  });

  it('is off at first, and kept over a reload', async () => {
    const a = await writeInWorkspace('follow/a.txt', lines);
    beginTurn();
    read(a);
    follower.toggle();
    assert.equal(memento.get('chat.isFollowing'), true);
    follower.dispose();
    follower = create();
    assert.ok(follower.isOn);
    const b = await writeInWorkspace('follow/b.txt', lines);
    read(b);
    await shows(b);
    assert.deepEqual(openNames(), ['b.txt', 'first.txt']);
  });

  it('shows the line that an agent edits through the editor, which is no typing', async () => {
    const a = await writeInWorkspace('follow/a.txt', lines);
    await follow();
    follower.beforeWrite(a);
    await adapter.adapter.writeText(a, lines.replace('line 120', 'edited'));
    follower.afterWrite(a);
    const editor = await shows(a);
    await eventually('the line', () => {
      assert.ok(editor.visibleRanges.some(({ end, start: first }) => first.line <= 120 && end.line >= 120));
    });
    await writeFile(a, lines.replace('line 5', 'on disk'));
    await until('the new text', () => editor.document.getText().includes('on disk'));
    assert.ok(follower.isOn);
  });

  it('opens no file that is excluded, outside the workspace, binary, very large or a folder', async () => {
    const outside = path.join(tmpdir(), `backline-follow-${process.pid}.txt`);
    await writeFile(outside, 'outside');
    const binary = await writeInWorkspace('follow/binary.bin', new Uint8Array([1, 0, 2]));
    const large = await writeInWorkspace('follow/large.txt', 'x'.repeat(3 * 1024 * 1024));
    const secret = await writeInWorkspace('follow/.env', 'KEY=1');
    await mkdir(inWorkspace('follow/folder'));
    await symlink(outside, inWorkspace('follow/link.txt'));
    await follow();
    const last = await writeInWorkspace('follow/last.txt', 'last');
    for (const file of [outside, binary, large, secret, inWorkspace('follow/folder'), inWorkspace('follow/link.txt')]) {
      read(file);
      await until(`${file} was considered`, () => considered.includes(file));
    }
    read(last);
    await shows(last);
    assert.deepEqual(openNames(), ['first.txt', 'last.txt']);
    await rm(outside);
  });

  it('stops when the user types', async () => {
    await follow();
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    await type(editor, start, 'mine');
    await until('the end', () => !follower.isOn);
    assert.equal(memento.get('chat.isFollowing'), false);
  });

  it('stops when the user shows another editor', async () => {
    await follow();
    await show(inWorkspace('follow/first.txt'));
    await until('the end', () => !follower.isOn);
  });

  it('stops when the user scrolls', async () => {
    await follow();
    await eventually('the end', async () => {
      await vscode.commands.executeCommand('editorScroll', { to: 'up', by: 'line', value: 20 });
      await vscode.commands.executeCommand('editorScroll', { to: 'down', by: 'line', value: 20 });
      assert.ok(!follower.isOn);
    });
  });

  it('covers no diff', async () => {
    const a = vscode.Uri.file(await writeInWorkspace('follow/a.txt', lines));
    follower.toggle();
    beginTurn();
    const first = vscode.Uri.file(inWorkspace('follow/first.txt'));
    await vscode.commands.executeCommand('vscode.diff', first, a, 'Diff');
    await until('the diff', () => activeTab()?.input instanceof vscode.TabInputTextDiff);
    if (!follower.isOn) follower.toggle();
    read(await writeInWorkspace('follow/b.txt', lines));
    const c = await writeInWorkspace('follow/c.txt', lines);
    // Beside, where it can be shown.
    await vscode.window.showTextDocument(first, { viewColumn: vscode.ViewColumn.Two, preserveFocus: true });
    if (!follower.isOn) follower.toggle();
    read(c);
    const editor = await shows(c);
    assert.equal(editor.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.tabGroups.all[0]?.activeTab?.label, 'Diff');
    assert.ok(!openNames().includes('b.txt'));
  });
});
