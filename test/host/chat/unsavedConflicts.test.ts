import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { Emitter } from '../../../src/base/common/event';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ActiveAgent } from '../../../src/chat/common/unsaved/activeAgents';
import { VirtualDocuments } from '../../../src/chat/vscode/review/virtualDocuments';
import { ConflictNotices } from '../../../src/chat/vscode/unsaved/conflictNotices';
import { ConflictWatch } from '../../../src/chat/vscode/unsaved/conflictWatch';
import { OtherEditorConflicts } from '../../../src/chat/vscode/unsaved/otherEditorConflicts';
import { NoticeBoard, type Notice, type NoticeAction } from '../../../src/platform/common/noticeBoard';
import { provideReadOnlyTexts } from '../../../src/platform/vscode/readOnlyTexts';
import { eventually, until } from '../../support/eventually';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);

/** Messages as they are shown, and a user who presses their buttons. */
class FakeMessages {
  readonly warnings: { text: string; actions: readonly NoticeAction[] }[] = [];
  readonly infos: string[] = [];
  readonly errors: string[] = [];

  warning(text: string, ...actions: readonly NoticeAction[]): void {
    this.warnings.push({ text, actions });
  }

  info(text: string): void {
    this.infos.push(text);
  }

  error(text: string): void {
    this.errors.push(text);
  }

  async press(label: RegExp, index = -1): Promise<void> {
    const action = this.warnings.at(index)?.actions.find((one) => label.test(one.label));
    assert.ok(action, `there is a button ${String(label)}`);
    await action.run();
  }
}

describe('unsaved text in a file that an agent writes', () => {
  /** VS Code may still have the text of a deleted file with the same name. */
  let files = 0;
  let writer: ActiveAgent | undefined;
  let written: Emitter<void>;
  let messages: FakeMessages;
  let watch: ConflictWatch;
  let disposables: { dispose(): void }[];
  beforeEach(() => {
    writer = { title: 'Demo agent', isCalling: true };
    written = new Emitter<void>((error) => {
      throw error;
    });
    messages = new FakeMessages();
    watch = new ConflictWatch({
      clock: systemClock,
      log: nullLogger,
      onDidWriteFiles: written.event,
      writerOf: () => writer,
    });
    const documents = new VirtualDocuments('backline-conflict-test');
    const texts = provideReadOnlyTexts(documents.scheme, (query) => documents.textOf(query));
    const notices = new ConflictNotices({ watch, documents, messages, notices: messages, clock: systemClock });
    disposables = [notices, watch, texts, written];
    notices.start();
    watch.start();
  });
  afterEach(async () => {
    for (const part of disposables) part.dispose();
    await closeAll();
    await rm(inWorkspace('unsaved'), { recursive: true, force: true });
  });

  async function dirtyEditor(name: string, text = 'one\n'): Promise<{ file: string; editor: vscode.TextEditor }> {
    const file = await writeInWorkspace(`unsaved/${++files}-${name}`, text);
    const editor = await show(file);
    await type(editor, start, 'mine ');
    // Until then, the text on disk counts as the one that was edited.
    await until('the file is known', () => watch.baseOf(file) !== undefined);
    return { file, editor };
  }

  const told = (count: number) =>
    eventually('the message', () => {
      // VS Code misses changes in a folder that was created just now, but a sweep comes after them.
      written.fire();
      assert.equal(messages.warnings.length, count, JSON.stringify(messages.warnings));
    });

  it('is reported at once, once for each state of the file', async () => {
    const { file, editor } = await dirtyEditor('a.txt');
    await writeFile(file, 'agent\n');
    await told(1);
    assert.match(messages.warnings[0]?.text ?? '', /^Demo agent changed “unsaved\/\d+-a.txt” on disk/);
    assert.equal(editor.document.getText(), 'mine one\n');
    written.fire();
    await writeFile(file, 'agent again\n');
    await until('the second write', () => watch.conflicts[0]?.disk === 'agent again\n');
    assert.equal(messages.warnings.length, 1);
  });

  it('is reported if it was typed right after the agent had written', async () => {
    for (let attempt = 1; attempt <= 10; attempt++) {
      const file = await writeInWorkspace(`unsaved/late${attempt}.txt`, 'one\ntwo\n');
      const editor = await show(file);
      await writeFile(file, 'ONE\ntwo\n');
      // VS Code refuses the edit if it reads the file again in between, and knows of no conflict if it has done so before.
      const isTyped = await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), 'mine '));
      if (!isTyped || editor.document.getText().startsWith('ONE')) continue;
      await told(1);
      return;
    }
    assert.fail('VS Code has read the file again each time before the text was typed');
  });

  it('is kept, and saved without a question, with Keep Mine', async () => {
    const { file, editor } = await dirtyEditor('keep.txt');
    editor.selection = new vscode.Selection(0, 2, 0, 4);
    await writeFile(file, 'the version of the agent\n');
    await told(1);
    await messages.press(/Keep Mine/);
    assert.deepEqual([editor.document.getText(), editor.document.isDirty], ['mine one\n', true]);
    assert.deepEqual(editor.selection, new vscode.Selection(0, 2, 0, 4));
    assert.deepEqual(watch.conflicts, []);
    assert.ok(await editor.document.save());
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
    assert.equal(messages.warnings.length, 1);
  });

  it('is replaced with Use Agent’s Version, and comes back with undo', async () => {
    const { file, editor } = await dirtyEditor('use.txt');
    await writeFile(file, 'the version of the agent\n');
    await told(1);
    await messages.press(/Use Agent/);
    assert.deepEqual([editor.document.getText(), editor.document.isDirty], ['the version of the agent\n', false]);
    assert.match(messages.infos[0] ?? '', /Undo/);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine one\n');
  });

  it('can be compared before, and the choice is offered again', async () => {
    const { file, editor } = await dirtyEditor('compare.txt');
    await writeFile(file, 'the version of the agent\n');
    await told(1);
    await messages.press(/Compare/);
    const input = await eventually('the diff', () => {
      const found = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(found instanceof vscode.TabInputTextDiff);
      return found;
    });
    const left = await vscode.workspace.openTextDocument(input.original);
    assert.deepEqual([left.getText(), input.modified.fsPath], ['the version of the agent\n', file]);
    await told(2);
    await messages.press(/Keep Mine/);
    assert.ok(await editor.document.save());
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
    await messages.press(/Use Agent/, 0);
    assert.match(messages.infos.at(-1) ?? '', /is no longer open/);
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
  });

  it('is reported in one message for several files', async () => {
    const { file: a } = await dirtyEditor('a.txt');
    const { file: b } = await dirtyEditor('b.txt');
    await Promise.all([writeFile(a, 'A\n'), writeFile(b, 'B\n')]);
    await told(1);
    assert.match(messages.warnings[0]?.text ?? '', /[ab].txt” and “unsaved\/\d+-[ab].txt” on disk/);
    await messages.press(/Use Agent’s Versions/);
    assert.deepEqual(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).length, 0);
    assert.deepEqual([await readFile(a, 'utf8'), await readFile(b, 'utf8')], ['A\n', 'B\n']);
  });

  it('survives the deletion of the file: kept text can be saved', async () => {
    const { file, editor } = await dirtyEditor('gone.txt');
    await rm(file);
    await told(1);
    assert.match(messages.warnings[0]?.text ?? '', /^Demo agent deleted/);
    await messages.press(/Keep Mine/);
    assert.deepEqual(watch.conflicts, []);
    assert.ok(await editor.document.save());
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
  });

  it('is in the local history once the file is deleted for the agent', async () => {
    const { file } = await dirtyEditor('deleted.txt');
    await rm(file);
    await told(1);
    await messages.press(/Use Agent/);
    await assert.rejects(readFile(file), { code: 'ENOENT' });
    assert.deepEqual(messages.errors, []);
    assert.match(messages.infos[0] ?? '', /local history/);
    const all = await vscode.commands.getCommands(true);
    assert.ok(all.includes('workbench.action.localHistory.restoreViaPicker'));
  });

  for (const [reason, setting, value] of [
    ['is off', 'enabled', false],
    ['has only small files', 'maxFileSize', 0],
    ['excludes the file', 'exclude', { '**/unsaved/*.txt': true }],
    ['excludes the folder', 'exclude', { 'unsaved/**': true }],
  ] as const) {
    it(`is in a new editor once the file is deleted for the agent, if the local history ${reason}`, async () => {
      const settings = vscode.workspace.getConfiguration('workbench.localHistory');
      await settings.update(setting, value, vscode.ConfigurationTarget.Global);
      try {
        const { file } = await dirtyEditor('untitled.txt');
        await rm(file);
        await told(1);
        await messages.press(/Use Agent/);
        await assert.rejects(readFile(file), { code: 'ENOENT' });
        assert.deepEqual(messages.errors, []);
        assert.match(messages.infos[0] ?? '', /untitled editor/);
        const shown = vscode.window.activeTextEditor?.document;
        assert.deepEqual([shown?.uri.scheme, shown?.getText()], ['untitled', 'mine one\n']);
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      } finally {
        await settings.update(setting, undefined, vscode.ConfigurationTarget.Global);
      }
    });
  }

  it('is no matter of ours if no agent works', async () => {
    writer = undefined;
    const { file } = await dirtyEditor('user.txt');
    await writeFile(file, 'by the user\n');
    await until('the new base', () => watch.baseOf(file) === 'by the user\n');
    writer = { title: 'Demo agent', isCalling: true };
    written.fire();
    const { file: other } = await dirtyEditor('other.txt');
    await writeFile(other, 'by the agent\n');
    await told(1);
    assert.match(messages.warnings[0]?.text ?? '', /other.txt/);
  });

  it('is not reported for saves and formatters in the editor, nor for what agents write through it', async () => {
    const editor = new AdapterUnderTest();
    const { file, editor: shown } = await dirtyEditor('saved.txt');
    await shown.document.save();
    await type(shown, start, 'more ');
    await editor.adapter.writeText(file, 'more mine one\nthrough the editor\n');
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
    await shown.document.save();
    await type(shown, start, 'last ');
    const { file: other } = await dirtyEditor('other.txt');
    await writeFile(other, 'by the agent\n');
    await told(1);
    assert.match(messages.warnings[0]?.text ?? '', /other.txt/);
    editor.dispose();
  });

  it('is forgotten when it is solved in another way', async () => {
    const { file, editor } = await dirtyEditor('a.txt');
    await writeFile(file, 'agent\n');
    await told(1);
    await show(file);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.equal(editor.document.getText(), 'agent\n');
    await until('nothing left', () => watch.conflicts.length === 0);
    await messages.press(/Keep Mine/);
    assert.equal(editor.document.getText(), 'agent\n');
    assert.match(messages.infos[0] ?? '', /is no longer open/);
  });
});

describe('unsaved changes of a notebook or custom editor whose file an agent writes', () => {
  let writer: ActiveAgent | undefined;
  let written: Emitter<void>;
  let notices: Notice[];
  let conflicts: OtherEditorConflicts;
  beforeEach(() => {
    writer = { title: 'Demo agent', isCalling: true };
    notices = [];
    written = new Emitter<void>((error) => {
      throw error;
    });
    conflicts = new OtherEditorConflicts({
      clock: systemClock,
      log: nullLogger,
      notices: new NoticeBoard((notice) => notices.push(notice)),
      onDidWriteFiles: written.event,
      writerOf: () => writer,
    });
    conflicts.start();
  });
  afterEach(async () => {
    conflicts.dispose();
    written.dispose();
    for (const { isDirty, uri } of vscode.workspace.notebookDocuments) {
      if (!isDirty) continue;
      await vscode.window.showNotebookDocument(await vscode.workspace.openNotebookDocument(uri));
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await closeAll();
    await rm(inWorkspace('unsavedOthers'), { recursive: true, force: true });
  });

  const notebookText = (source: string): string =>
    JSON.stringify({
      cells: [{ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [source] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    });

  async function unsavedNotebook(name: string): Promise<string> {
    const file = await writeInWorkspace(`unsavedOthers/${name}`, notebookText('one'));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, start, 'mine ');
    await vscode.workspace.applyEdit(edit);
    await until('the notebook has unsaved cells', () => notebook.isDirty);
    return file;
  }

  async function unsavedBytes(name: string): Promise<string> {
    const file = await writeInWorkspace(`unsavedOthers/${name}`, 'one');
    const uri = vscode.Uri.file(file);
    await vscode.commands.executeCommand('vscode.openWith', uri, 'customEditorTest.bytes');
    await vscode.commands.executeCommand('customEditorTest.change', 'mine');
    await until(
      'the custom editor is unsaved',
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.isDirty === true,
    );
    return file;
  }

  /** Waits until the version on disk is known as the one on which the unsaved changes are based. */
  const settle = (file: string) => until('the file is known', () => conflicts.baseOf(file) !== undefined);

  const told = (text: RegExp) =>
    eventually('the notice', () => {
      written.fire();
      assert.equal(notices.length, 1, JSON.stringify(notices));
      assert.match(notices[0]?.text ?? '', text);
    });

  it('is reported for a notebook, and its editor shown', async () => {
    const file = await unsavedNotebook('a.ipynb');
    await settle(file);
    await writeFile(file, notebookText('the agent’s'));
    await told(
      /^Demo agent changed “unsavedOthers\/a.ipynb” on disk while you had unsaved changes.*Save it to keep your version\. .*Revert File/,
    );
    await show(await writeInWorkspace('unsavedOthers/other.txt', 'other'));
    assert.deepEqual(
      notices[0]?.actions.map(({ label }) => label),
      ['Show Editor'],
    );
    await notices[0].actions[0]?.run();
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputNotebook && input.uri.fsPath === file);
    assert.equal(vscode.workspace.notebookDocuments.find(({ uri }) => uri.fsPath === file)?.isDirty, true);
    assert.equal(notices[0].isCurrent?.(), true);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('the notice is no longer true', () => notices[0]?.isCurrent?.() === false);
  });

  it('is reported for a custom editor, also if the agent deletes the file', async () => {
    const file = await unsavedBytes('a.testbytes');
    await settle(file);
    await rm(file);
    await told(/^Demo agent deleted “unsavedOthers\/a.testbytes” on disk.*Save it to keep your version\.$/);
    await show(await writeInWorkspace('unsavedOthers/other.txt', 'other'));
    await notices[0]?.actions[0]?.run();
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputCustom && input.uri.fsPath === file);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('is not reported for a save, nor if no agent works', async () => {
    const file = await unsavedNotebook('saved.ipynb');
    await settle(file);
    const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.fsPath === file);
    assert.ok(await notebook?.save());
    await until('it is forgotten', () => conflicts.baseOf(file) === undefined);
    writer = undefined;
    const other = await unsavedNotebook('user.ipynb');
    await settle(other);
    const base = conflicts.baseOf(other);
    await writeFile(other, notebookText('the user’s'));
    await until('the new base', () => {
      written.fire();
      return conflicts.baseOf(other) !== base;
    });
    writer = { title: 'Demo agent', isCalling: true };
    written.fire();
    const last = await unsavedNotebook('agent.ipynb');
    await settle(last);
    await writeFile(last, notebookText('the agent’s'));
    await told(/“unsavedOthers\/agent.ipynb”/);
  });
});
