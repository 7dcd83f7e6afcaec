import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { AuthorTurn } from '../../../src/chat/common/authorship/authorSteps';
import type { LineAuthors } from '../../../src/chat/common/authorship/lineAuthors';
import { LineAuthorViews } from '../../../src/chat/vscode/authorship/lineAuthorViews';
import { commandIds, type CommandId } from '../../../src/manifest';
import { Messages } from '../../../src/platform/vscode/messages';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { eventually } from '../../support/eventually';
import { ChatUnderTest } from '../support/chat';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const hostile = 'Do [it](command:workbench.action.quit) <img src=x> **now**';

describe('who wrote a line', () => {
  let subject: ChatUnderTest;
  let views: LineAuthorViews;
  let file: string;
  let isAlwaysShown: boolean;
  const handlers = new Map<CommandId, (...args: readonly unknown[]) => unknown>();
  const turn: AuthorTurn = {
    ...{ conversation: 'one', turn: 2, prompt: 'p2', promptLine: hostile, startedAt: Date.now() - 3 * 86_400_000 },
    model: { id: 'large', name: 'Large 5' },
  };
  const authors: LineAuthors<AuthorTurn> = [undefined, { turn, certainty: 'edited', writtenAs: 'before' }];

  beforeEach(async () => {
    subject = await ChatUnderTest.start();
    isAlwaysShown = false;
    const chat = subject.chats.add('one');
    chat.say({ kind: 'prompt', id: 'p1', turn: 1, text: 'First', attachments: [] });
    chat.say({ kind: 'prompt', id: 'p2', turn: 2, text: hostile, attachments: [] });
    file = await writeInWorkspace('authors/a.txt', 'one\ntwo\n');
    views = new LineAuthorViews({
      ...{ chats: subject.chats, clock: systemClock, editor: subject.editor.adapter },
      lineAuthors: {
        authorsOf: (path) => Promise.resolve(path === file ? authors : []),
        turnsOf: () => Promise.resolve([turn]),
        agentOf: () => 'The *Agent*',
      },
      commands: {
        setHandler: (id, handler) => {
          handlers.set(id, handler);
          return { dispose: () => void handlers.delete(id) };
        },
      },
      messages: new Messages(nullLogger),
      pages: subject.pages,
      restore: subject.window.restore,
      settings: { authorshipHover: () => (isAlwaysShown ? 'on' : 'onCommand') },
    });
    views.start();
  });
  afterEach(async () => {
    views.dispose();
    await subject.dispose();
    await closeAll();
    await rm(inWorkspace('authors'), { recursive: true, force: true });
  });

  const run = async (id: CommandId, ...args: readonly unknown[]): Promise<unknown> => await handlers.get(id)?.(...args);

  it('is in a hover only where it is known, and what an agent or a prompt says is no link', async () => {
    isAlwaysShown = true;
    const { document } = await show(file);
    assert.equal(await views.hoverOf(document, 0), undefined);
    const hover = await views.hoverOf(document, 1);
    assert.ok(hover);
    const [said, action] = hover.contents;
    assert.ok(said instanceof vscode.MarkdownString && action instanceof vscode.MarkdownString);
    assert.notEqual(said.isTrusted, true);
    const shown = said.value.replaceAll('&nbsp;', ' ');
    assert.match(shown, /Large 5 · 3 days ago/);
    assert.match(shown, /Edited since by you or another program/);
    assert.ok(!said.value.includes('[it](command:'), said.value);
    assert.notEqual(said.supportHtml, true);
    assert.deepEqual(action.isTrusted, { enabledCommands: [commandIds.chatShowLinePrompt] });
    assert.ok(!action.value.includes('Do '), action.value);
  });

  it('is asked by a command, also of a line number; then the hover of that line says it until the text changes', async () => {
    const { document } = await show(file);
    assert.equal(await views.hoverOf(document, 1), undefined);
    const asking = run(commandIds.chatShowLineAuthor, { lineNumber: 2, uri: document.uri });
    let isClosed = false;
    void asking.then(() => (isClosed = true));
    await eventually('the list was open', async () => {
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      assert.ok(isClosed);
    });
    assert.ok(await views.hoverOf(document, 1));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'zero\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(await views.hoverOf(document, 1), undefined);
    await document.save();
  });

  it('leads to the prompt in its conversation', async () => {
    await subject.tab('one', vscode.ViewColumn.Two);
    const editor = await show(file);
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    const shown: string[] = [];
    const { pages } = subject;
    const reveal = pages.reveal.bind(pages);
    pages.reveal = async (chat) => {
      const page = await reveal(chat);
      page.showEntry = (sessionId, entryId) => void shown.push(`${sessionId} ${entryId}`);
      return page;
    };
    await run(commandIds.chatShowLinePrompt, undefined);
    assert.deepEqual(shown, ['one p2']);
  });
});
