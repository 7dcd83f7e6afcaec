import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { ExcludeList } from '../../../src/editor/common/excludeList';
import { PathGuard } from '../../../src/editor/node/pathGuard';
import { FileOpener } from '../../../src/editor/vscode/fileOpener';
import { MemoryLogger } from '../../unit/amplifier/node/clientHarness';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const lines = Array.from({ length: 100 }, (_, line) => `line ${line + 1}\n`).join('');

describe('showing places to the user', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;

  beforeEach(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await rm(inWorkspace('show'), { recursive: true, force: true });
  });

  const rejects = (work: Promise<unknown>, code: string): Promise<void> =>
    assert.rejects(work, { name: 'EditorError', code });

  /** Waits for what is selected in the active editor, by 0-based numbers. */
  async function selected(file: string, expected: readonly number[]): Promise<void> {
    await eventually(`the place in ${file}`, () => {
      const active = vscode.window.activeTextEditor;
      assert.equal(active?.document.uri.fsPath, file);
      const { start, end } = active.selection;
      assert.deepEqual([start.line, start.character, end.line, end.character], expected);
    });
  }

  describe('open', () => {
    for (const [fragment, expected] of [
      ['', [0, 0, 0, 0]],
      ['#L12', [11, 0, 11, 0]],
      ['#L12:5', [11, 4, 11, 4]],
      ['#L12-L20', [11, 0, 19, 7]],
      ['#L12:3-L20:5', [11, 2, 19, 4]],
      ['#L999:999', [100, 0, 100, 0]],
    ] as const) {
      it(`goes to ${fragment || 'the file'}, by path and by URI`, async () => {
        const file = await writeInWorkspace('show/a file ü.txt', lines);
        await editor.open(`show/a file ü.txt${fragment}`);
        await selected(file, expected);
        await closeAll();
        await editor.open(`${vscode.Uri.file(file).toString()}${fragment}`);
        await selected(file, expected);
      });
    }

    it('shows a file of a folder that is a link in one tab, whichever of its paths is named', async () => {
      const file = await writeInWorkspace('show/real/a.txt', lines);
      const [real, link] = [inWorkspace('show', 'real'), inWorkspace('show', 'link')];
      await symlink(real, link);
      const guard = new PathGuard({ folders: () => [link], exclude: () => new ExcludeList([]), isWindows: false });
      const opener = new FileOpener(guard, (name) => editor.readText(name), new MemoryLogger());
      for (const name of [path.join(link, 'a.txt'), file, `${vscode.Uri.file(file).toString()}#L3`]) {
        await opener.open(name, { preview: false });
        await selected(path.join(link, 'a.txt'), [name.endsWith('#L3') ? 2 : 0, 0, name.endsWith('#L3') ? 2 : 0, 0]);
      }
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      assert.deepEqual(
        tabs.map(({ label }) => label),
        ['a.txt'],
      );
      opener.dispose();
    });

    it('takes a # in a name for what it is', async () => {
      const file = await writeInWorkspace('show/C#/a#L3', lines);
      await editor.open(file);
      await selected(file, [0, 0, 0, 0]);
      await editor.open(`${file}#L3`);
      await selected(file, [2, 0, 2, 0]);
    });

    it('leaves the focus alone when asked to', async () => {
      const first = await show(await writeInWorkspace('show/first.txt', lines));
      const file = await writeInWorkspace('show/second.txt', lines);
      const type = async (): Promise<void> => {
        await vscode.commands.executeCommand('type', { text: 'x' }).then(undefined, () => undefined);
      };
      await vscode.commands.executeCommand('workbench.action.terminal.toggleTerminal');
      try {
        // The terminal takes the focus when it is there; until then, typing goes to the file.
        await eventually('the focus in the terminal', async () => {
          await vscode.commands.executeCommand('workbench.action.terminal.focus');
          await type();
          if (!first.document.isDirty) return;
          await vscode.commands.executeCommand('workbench.action.files.revert');
          assert.fail('it is in the file');
        });
        await editor.open(`${file}#L5`, { preserveFocus: true });
        await eventually('the file is visible', () =>
          assert.ok(vscode.window.visibleTextEditors.some(({ document }) => document.uri.fsPath === file)),
        );
        assert.ok(first.document.uri.fsPath !== file);
        // Typing goes where the focus is.
        await type();
        assert.deepEqual(
          vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty),
          [],
        );
      } finally {
        await vscode.commands.executeCommand('workbench.action.terminal.killAll');
        await vscode.commands.executeCommand('workbench.action.closePanel');
      }
    });

    it('shows a folder in the explorer, unless that takes the focus it must not', async () => {
      await mkdir(inWorkspace('show', 'folder'), { recursive: true });
      await editor.open(inWorkspace('show', 'folder'));
      await rejects(editor.open(inWorkspace('show', 'folder'), { preserveFocus: true }), 'isDirectory');
    });

    it('refuses what is missing, outside, excluded or of another scheme', async () => {
      await writeInWorkspace('show/.env', 'SECRET=1');
      await rejects(editor.open('show/missing.txt'), 'notFound');
      await rejects(editor.open('show/missing.txt#L3'), 'notFound');
      await rejects(editor.open('file:///etc/hostname'), 'outsideWorkspace');
      await rejects(editor.open(inWorkspace('show', '.env')), 'excluded');
      await rejects(editor.open('vscode://some.extension/do'), 'unsupportedUri');
      await rejects(editor.open('command:workbench.action.quit'), 'unsupportedUri');
      await rejects(editor.open(`https://example.com/${'x'.repeat(20_000)}`), 'unsupportedUri');
    });
  });

  describe('open of a link', () => {
    const original = vscode.env.openExternal;
    const asked: string[] = [];
    const replaceOpenExternal = (value: typeof original): void => {
      Object.defineProperty(vscode.env, 'openExternal', { value, configurable: true, writable: true });
    };

    beforeEach(() => {
      asked.length = 0;
    });
    afterEach(() => replaceOpenExternal(original));

    it('asks VS Code to show it, and does not wait for the user', async () => {
      replaceOpenExternal((uri) => {
        asked.push(uri.toString(true));
        return new Promise<boolean>(() => undefined);
      });
      await editor.open('https://example.org/a?b=c#d');
      await editor.open('HTTP://example.org/');
      assert.deepEqual(asked, ['https://example.org/a?b=c#d', 'HTTP://example.org/']);
    });

    it('of another kind is refused, and VS Code is not asked', async () => {
      replaceOpenExternal((uri) => Promise.resolve(asked.push(uri.toString()) > 0));
      for (const link of ['ftp://example.org/a.txt', 'mailto:someone@example.org', 'javascript:alert(1)']) {
        await rejects(editor.open(link), 'unsupportedUri');
      }
      assert.deepEqual(asked, []);
    });
  });

  describe('showDiff', () => {
    const diffs = (): vscode.Tab[] =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(({ input }) => input instanceof vscode.TabInputTextDiff);

    it('shows the proposal beside the file, and closes that tab only', async () => {
      const file = await writeInWorkspace('show/diff.txt', 'old\n');
      const first = await editor.showDiff(file, 'new\n', 'First proposal');
      const second = await editor.showDiff(file, 'newer\n', 'Second proposal');
      await eventually('both are shown', () =>
        assert.deepEqual(
          diffs()
            .map(({ label }) => label)
            .sort(),
          ['First proposal', 'Second proposal'],
        ),
      );
      const proposed = await eventually('the proposal is loaded', () => {
        const found = vscode.workspace.textDocuments.find((document) => document.getText() === 'newer\n');
        assert.ok(found);
        return found;
      });
      assert.equal(proposed.uri.scheme, 'backline-diff');
      first.dispose();
      await eventually('one is left', () =>
        assert.deepEqual(
          diffs().map(({ label }) => label),
          ['Second proposal'],
        ),
      );
      second.dispose();
      await eventually('none is left', () => assert.deepEqual(diffs(), []));
    });

    it('shows a proposal for a file that is still to be made', async () => {
      const shown = await editor.showDiff(inWorkspace('show', 'new.txt'), 'new\n', 'A new file');
      await eventually('it is shown', () => assert.equal(diffs().length, 1));
      shown.dispose();
      await rejects(editor.showDiff('/etc/hostname', 'x', 'Outside'), 'outsideWorkspace');
    });
  });

  describe('what the user sees', () => {
    const visible = (...names: string[]): Promise<void> =>
      eventually(`${names.join(', ') || 'nothing'} is visible`, () =>
        assert.deepEqual(
          editor.visibleFiles,
          names.map((name) => inWorkspace('show', name)),
        ),
      );

    it('is told: the selections of the active file, primary first, with their text', async () => {
      const shown = await show(await writeInWorkspace('show/select.txt', 'grüße 😀\r\nan alle\r\n'));
      shown.selections = [new vscode.Selection(0, 6, 1, 2), new vscode.Selection(1, 3, 1, 3)];
      await eventually('the selection is told', () =>
        assert.deepEqual(editor.activeSelection, {
          path: inWorkspace('show', 'select.txt'),
          selections: [
            { start: { line: 0, character: 6 }, end: { line: 1, character: 2 }, text: '😀\r\nan' },
            { start: { line: 1, character: 3 }, end: { line: 1, character: 3 }, text: '' },
          ],
        }),
      );
    });

    it('is cut where it is too much', async () => {
      const shown = await show(await writeInWorkspace('show/much.txt', `${'😀'.repeat(10_000)}\n`));
      shown.selection = new vscode.Selection(0, 1, 0, 20_000);
      await eventually('the selection is told', () =>
        assert.equal(editor.activeSelection?.selections[0]?.text.length, 16 * 1024),
      );
    });

    it('is every visible file, the active one first, and nothing when the last is closed', async () => {
      const first = await writeInWorkspace('show/one.txt', '1');
      await show(first);
      await visible('one.txt');
      const second = vscode.Uri.file(await writeInWorkspace('show/two.txt', '2'));
      await vscode.window.showTextDocument(second, { viewColumn: vscode.ViewColumn.Beside });
      await visible('two.txt', 'one.txt');
      assert.deepEqual(
        editor.selections.map(({ path: file }) => path.basename(file)),
        ['two.txt', 'one.txt'],
      );
      await closeAll();
      await visible();
      assert.equal(editor.activeSelection, undefined);
    });

    it('fires an event for a change of either', async () => {
      let selections = 0;
      let files = 0;
      const subscriptions = [
        editor.onDidChangeSelection(() => selections++),
        editor.onDidChangeVisibleFiles(() => files++),
      ];
      try {
        const shown = await show(await writeInWorkspace('show/events.txt', 'abc'));
        await visible('events.txt');
        assert.ok(files > 0);
        const before = selections;
        shown.selection = new vscode.Selection(0, 0, 0, 2);
        await eventually('an event comes', () => assert.ok(selections > before));
      } finally {
        for (const subscription of subscriptions) subscription.dispose();
      }
    });

    it('is kept while the focus is elsewhere', async () => {
      const shown = await show(await writeInWorkspace('show/kept.txt', 'abc'));
      shown.selection = new vscode.Selection(0, 0, 0, 2);
      await visible('kept.txt');
      await vscode.commands.executeCommand('workbench.action.terminal.new');
      try {
        await vscode.commands.executeCommand('workbench.action.terminal.focus');
        await eventually('it is told', () => assert.equal(editor.activeSelection?.selections[0]?.text, 'ab'));
      } finally {
        await vscode.commands.executeCommand('workbench.action.terminal.killAll');
        await vscode.commands.executeCommand('workbench.action.closePanel');
      }
    });

    it('is kept while a page beside it is active', async () => {
      const shown = await show(await writeInWorkspace('show/beside.txt', 'abc'));
      shown.selection = new vscode.Selection(0, 0, 0, 2);
      await visible('beside.txt');
      const page = vscode.window.createWebviewPanel('test', 'A page', vscode.ViewColumn.Beside);
      try {
        await eventually('the page is active', () => assert.equal(vscode.window.activeTextEditor, undefined));
        assert.equal(editor.activeSelection?.selections[0]?.text, 'ab');
        assert.deepEqual(editor.visibleFiles, [inWorkspace('show', 'beside.txt')]);
      } finally {
        page.dispose();
      }
    });

    it('is not told of excluded files, of links that leave, and of what is no file', async () => {
      const harmless = await writeInWorkspace('show/harmless.txt', 'x');
      await symlink('/etc/hostname', inWorkspace('show', 'out.txt'));
      await show(harmless);
      await visible('harmless.txt');
      for (const secret of [await writeInWorkspace('show/.env', 'SECRET=1'), inWorkspace('show', 'out.txt')]) {
        const shown = await show(secret);
        shown.selection = new vscode.Selection(0, 0, 0, 1);
        await visible();
        assert.deepEqual([editor.activeSelection, editor.selections], [undefined, []]);
      }
      const untitled = await vscode.workspace.openTextDocument({ content: 'x' });
      await vscode.window.showTextDocument(untitled);
      await visible();
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('follows the exclude list', async () => {
      await show(await writeInWorkspace('show/soon.txt', 'x'));
      await visible('soon.txt');
      subject.changeExclude('soon.txt');
      assert.deepEqual(editor.visibleFiles, []);
      await visible();
      subject.changeExclude();
      await visible('soon.txt');
    });
  });
});
