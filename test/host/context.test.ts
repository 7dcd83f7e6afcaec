import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { commandIds, settingIds } from '../../src/manifest';
import { configureProviders, hoverTexts, itemModule, lensTitles } from './support/context';
import { eventually } from '../support/eventually';
import { turns } from '../support/turns';
import { closeAll, inWorkspace, setSetting, show, type, writeInWorkspace } from './support/workspace';

const text = 'one\nconst two = alpha(1);\nthree\n';

/** The extension of this window, with providers that are written to its workspace. */
describe('context providers', () => {
  let editor: vscode.TextEditor;
  const alpha = new vscode.Position(1, 14);

  beforeEach(async () => {
    await writeInWorkspace('../own-providers/wide.mjs', itemModule('Wide', 1, 0, 21));
    await writeInWorkspace('../own-providers/narrow.mjs', itemModule('Narrow', 1, 12, 17));
    editor = await show(await writeInWorkspace('context/sample.txt', text));
  });

  afterEach(async () => {
    await closeAll();
    await configureProviders(undefined);
    await setSetting(settingIds.contextCodeLens, undefined);
    await setSetting(settingIds.contextEnabled, undefined);
    await rm(inWorkspace('context'), { recursive: true });
    await rm(inWorkspace('../own-providers'), { recursive: true, force: true });
  });

  const shows = async (position: vscode.Position, ...expected: readonly string[]): Promise<void> => {
    await eventually(`a hover of ${expected.join(' and ')}`, async () => {
      const found = await hoverTexts(editor.document, position);
      const titles = found.flatMap((part) => /^\*\*(\w+)/.exec(part)?.[1] ?? []);
      assert.deepEqual(titles, expected);
    });
  };

  it('all show in one hover, the smallest range first, with who says it', async () => {
    await configureProviders({ '../own-providers/wide.mjs': true, '../own-providers/narrow.mjs#small': true });
    await shows(alpha, 'Narrow', 'Wide');
    const parts = await hoverTexts(editor.document, alpha);
    assert.deepEqual(parts.slice(0, 3), ['**Narrow**', 'Narrow says', '*small*']);
    await shows(new vscode.Position(1, 2), 'Wide');
    await shows(new vscode.Position(2, 2));
  });

  it('keep their places while the text before them grows', async () => {
    await configureProviders({ '../own-providers/narrow.mjs': { once: true } });
    await shows(alpha, 'Narrow');
    await type(editor, new vscode.Position(0, 0), 'zero\nzero\n');
    await eventually('the moved mark', async () => {
      assert.ok((await hoverTexts(editor.document, new vscode.Position(3, 14))).includes('**Narrow**'));
    });
  });

  it('are loaded again when their file changes on disk', async () => {
    await configureProviders({ '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow');
    await writeInWorkspace('../own-providers/narrow.mjs', itemModule('Renewed', 1, 12, 17));
    await shows(alpha, 'Renewed');
  });

  it('do not hold up the window or each other when one loops', async () => {
    await writeInWorkspace('../own-providers/loop.mjs', 'export default { capabilities() { for (;;); } };');
    await configureProviders({ '../own-providers/loop.mjs': true, '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow');
    const startedAt = performance.now();
    await turns(1);
    // Who looped here would be given up after 10 s at the earliest.
    assert.ok(performance.now() - startedAt < 9_000, 'the host answers');
  });

  it('are not trusted: no commands, no html', async () => {
    const markdown = '[run](command:workbench.action.closeWindow) <b>bold</b>';
    await writeInWorkspace('../own-providers/narrow.mjs', itemModule('Narrow', 1, 12, 17, markdown));
    await configureProviders({ '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow');
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      editor.document.uri,
      alpha,
    );
    const contents = hovers.flatMap((hover) => hover.contents).filter((each) => each instanceof vscode.MarkdownString);
    const ours = contents.find(({ value }) => value.includes('closeWindow'));
    assert.ok(ours);
    assert.ok(!ours.isTrusted && !ours.supportHtml);
  });

  it('never see a file that agents may not see', async () => {
    await configureProviders({ '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow');
    editor = await show(await writeInWorkspace('context/.env', text));
    assert.deepEqual(await hoverTexts(editor.document, alpha), []);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('never see such a file before it is saved either', async () => {
    // What only the workspace names is not asked about documents that are no files of it.
    const module = vscode.Uri.file(inWorkspace('../own-providers/narrow.mjs')).toString();
    await setSetting(settingIds.contextProviders, { [module]: true }, vscode.ConfigurationTarget.Global);
    const opened = async (name: string): Promise<void> => {
      const uri = vscode.Uri.file(inWorkspace('context', name)).with({ scheme: 'untitled' });
      editor = await vscode.window.showTextDocument(uri);
      await type(editor, new vscode.Position(0, 0), text);
    };
    try {
      await opened('new.txt');
      await shows(alpha, 'Narrow');
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await opened('.env');
      assert.deepEqual(await hoverTexts(editor.document, alpha), []);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    } finally {
      await setSetting(settingIds.contextProviders, undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('show in the cells of a notebook, unless agents may not see it', async () => {
    const module = itemModule('Narrow', 1, 12, 17).replace('{*.txt,.env}', '*.ipynb');
    await writeInWorkspace('../own-providers/cells.mjs', module);
    await configureProviders({ '../own-providers/cells.mjs': true });
    const cell = { cell_type: 'code', source: text.split(/(?<=\n)/), metadata: {}, outputs: [], execution_count: null };
    const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    for (const [name, expected] of [
      ['context/my notes.ipynb', true],
      ['context/.env.ipynb', false],
    ] as const) {
      const file = vscode.Uri.file(await writeInWorkspace(name, notebook));
      const opened = await vscode.workspace.openNotebookDocument(file);
      await vscode.window.showNotebookDocument(opened);
      const { document } = opened.cellAt(0);
      assert.equal(document.getText(), text);
      if (!expected) assert.deepEqual(await hoverTexts(document, alpha), []);
      else
        await eventually('the hover', async () =>
          assert.ok((await hoverTexts(document, alpha)).includes('**Narrow**')),
        );
    }
  });

  it('have lenses for the whole file, for all items, or none', async () => {
    await writeInWorkspace(
      '../own-providers/whole.mjs',
      "export default { capabilities: () => ({}), items: () => [{ title: 'Whole $(bug)', ui: { hover: { text: 'all of it' } } }] };",
    );
    await configureProviders({ '../own-providers/whole.mjs': true, '../own-providers/narrow.mjs': true });
    const lenses = (...expected: readonly string[]): Promise<void> =>
      eventually('lenses', async () => assert.deepEqual(await lensTitles(editor.document), expected));
    await lenses('Whole \\$(bug)');
    await setSetting(settingIds.contextCodeLens, 'all');
    await lenses('Whole \\$(bug)', 'Narrow');
    await setSetting(settingIds.contextCodeLens, 'off');
    await lenses();
    await shows(new vscode.Position(0, 0), 'Whole');
  });

  it('are asked again when the language of a file changes', async () => {
    await configureProviders({ '../own-providers/narrow.mjs': true });
    await setSetting(settingIds.contextCodeLens, 'all');
    const lens = (): Promise<void> =>
      eventually('the lens', async () => assert.deepEqual(await lensTitles(editor.document), ['Narrow']));
    await lens();
    const document = await vscode.languages.setTextDocumentLanguage(editor.document, 'markdown');
    assert.equal(document, editor.document);
    await lens();
  });

  it('lead from a lens to the place', async () => {
    await vscode.commands.executeCommand(commandIds.contextShowItems, {
      uri: editor.document.uri.toString(),
      line: 1,
      character: 12,
    });
    await eventually('the cursor', () => {
      assert.deepEqual(vscode.window.activeTextEditor?.selection.active, new vscode.Position(1, 12));
    });
  });

  it('lead from a lens to the link where its provider prefers that', async () => {
    const linked = vscode.Uri.file(await writeInWorkspace('context/linked.md', '# Linked'));
    const item = { title: 'Opens', url: linked.toString() };
    const annotation = { item, presentationHints: ['prefer-link-over-detail'] };
    await writeInWorkspace(
      '../own-providers/hint.mjs',
      `export default { meta: () => ({ name: 'Hint', annotations: {} }), annotations: ({ uri }) => [{ uri, ...${JSON.stringify(annotation)} }] };`,
    );
    await configureProviders({ '../own-providers/hint.mjs': true });
    await eventually('the lens', async () => {
      const [lens] = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        editor.document.uri,
      );
      assert.equal(lens?.command?.title, 'Opens');
      const given: readonly unknown[] = lens.command.arguments ?? [];
      await vscode.commands.executeCommand(lens.command.command, ...given);
    });
    await eventually('the linked file', () => {
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), linked.toString());
    });
  });

  it('are switched off and on by one command', async () => {
    await configureProviders({ '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow');
    await vscode.commands.executeCommand(commandIds.contextToggle);
    await shows(alpha);
    await vscode.commands.executeCommand(commandIds.contextToggle);
    await shows(alpha, 'Narrow');
    const inspected = vscode.workspace.getConfiguration().inspect(settingIds.contextEnabled);
    assert.equal(inspected?.globalValue, true);
    await setSetting(settingIds.contextEnabled, undefined, vscode.ConfigurationTarget.Global);
  });

  it('tell their items to models by a tool', async () => {
    await configureProviders({ '../own-providers/wide.mjs': true, '../own-providers/narrow.mjs': true });
    await shows(alpha, 'Narrow', 'Wide');
    const call = async (input: object): Promise<string> => {
      const options = { input, toolInvocationToken: undefined };
      const { content } = await vscode.lm.invokeTool('backline_context', options);
      return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
    };
    assert.match(await call({ file: 'context/sample.txt' }), /sample\.txt:2 — Wide \(wide\)\nfor AI: Wide/);
    assert.doesNotMatch(await call({ file: 'context/sample.txt', firstLine: 3 }), /Wide|Narrow/);
    assert.doesNotMatch(await call({ query: 'narrow' }), /Wide/);
    await writeInWorkspace('context/.env', text);
    await assert.rejects(call({ file: 'context/.env' }), /backline\.exclude/);
    await assert.rejects(call({ file: 'context/gone.txt' }), (error: unknown) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /gone\.txt/);
      assert.doesNotMatch(error.message, /vscode-remote|file:\/\/|FileNotFound/);
      return true;
    });
    await assert.rejects(call({ file: 'context' }), /is not a file/);
    await assert.rejects(call({ path: 'context/sample.txt' }), /input is invalid/i);
  });
});
