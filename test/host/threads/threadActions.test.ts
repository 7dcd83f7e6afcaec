import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { Messages } from '../../../src/platform/vscode/messages';
import type { ThreadDigest } from '../../../src/threads/common/exports/threadDigest';
import type { ThreadHead } from '../../../src/threads/common/threadPorts';
import type { CliCommand } from '../../../src/threads/node/cli/runCommand';
import { ThreadActions } from '../../../src/threads/vscode/threadActions';
import { eventually } from '../../support/eventually';
import { only } from '../../support/only';
import { answer, envOf, prompt, subagentCall, threadId, ThreadsUnderTest } from '../support/threads';
import { closeAll, closeTerminals, inWorkspace } from '../support/workspace';

const nothing = { digest: { title: '', text: '' }, folder: undefined };
const said = [prompt('What is **bold**?', 0), answer('This is <b>text</b>.', 1)];

/** What the user would read. */
class HeardMessages extends Messages {
  readonly errors: string[] = [];
  readonly infos: string[] = [];

  override info(message: string): void {
    this.infos.push(message);
  }

  override error(message: string): void {
    this.errors.push(message);
  }
}

/** Those that ask nothing, in the real VS Code; what asks is tested through the window. */
describe('what can be done with a thread', () => {
  let tested: ThreadsUnderTest;
  let messages: HeardMessages;
  let actions: ThreadActions;
  let command: CliCommand | undefined;
  let isTrusted: boolean;
  let chosen: vscode.Uri | undefined;
  let begun: { readonly digest: ThreadDigest; readonly folder: string | undefined }[];
  const suggestions: string[] = [];

  beforeEach(async () => {
    tested = await ThreadsUnderTest.start();
    messages = new HeardMessages(nullLogger);
    [command, isTrusted, chosen, begun] = [undefined, true, undefined, []];
    actions = new ThreadActions({
      read: (id) => tested.threads.library.read(id),
      readSubthread: (id) => tested.threads.library.readListed(id),
      findAmp: () => Promise.resolve(command?.file),
      startChat: (digest, folder) => {
        begun.push({ digest, folder });
        return Promise.resolve();
      },
      messages,
      chooseFile: (suggested) => {
        suggestions.push(path.basename(suggested.fsPath));
        return Promise.resolve(chosen);
      },
      isTrusted: () => isTrusted,
      workspaceFolders: () => Promise.resolve([inWorkspace(), path.join(tested.folder, 'worktree')]),
      openFolders: () => [inWorkspace()],
    });
  });
  afterEach(async () => {
    await closeTerminals(({ name }) => name.startsWith('Amp: '));
    await tested.dispose();
    await closeAll();
  });

  /** A thread that worked in `folders`. */
  async function thread(...folders: readonly string[]): Promise<ThreadHead> {
    await tested.write(1, 'Tax in the cart', said, { env: envOf(...folders) });
    await tested.rows();
    const head = tested.threads.library.find(threadId(1));
    assert.ok(head);
    return head;
  }

  /** Stands in for the CLI: writes down where and with what it runs, an argument a line. */
  async function installAmp(): Promise<string> {
    const bin = path.join(tested.folder, 'a bin');
    const record = path.join(tested.folder, 'run');
    const file = path.join(bin, 'amp');
    await mkdir(bin, { recursive: true });
    await writeFile(
      file,
      `#!/bin/sh\nprintf '%s\\n' "$PWD" "$#" "$@" > '${record}.new'\nmv '${record}.new' '${record}'\n`,
    );
    await chmod(file, 0o755);
    command = { file, args: [] };
    return record;
  }

  it('is continued in the CLI, in a terminal in its folder', async () => {
    const record = await installAmp();
    await mkdir(inWorkspace('packages', 'one'), { recursive: true });
    const head = await thread(inWorkspace('packages', 'one'));
    await actions.runAction('continueInAmp', head);
    const ran = await eventually('the CLI', () => readFile(record, 'utf8'));
    assert.deepEqual(ran.trimEnd().split('\n'), [inWorkspace('packages', 'one'), '3', 'threads', 'continue', head.id]);
    assert.deepEqual(messages.errors, []);
    await eventually('the terminal in front', () =>
      assert.equal(vscode.window.activeTerminal?.name, 'Amp: Tax in the cart'),
    );
  });

  it('is continued in the workspace where its own folder is gone', async () => {
    const record = await installAmp();
    await actions.runAction('continueInAmp', await thread('/gone/away'));
    const ran = await eventually('the CLI', () => readFile(record, 'utf8'));
    assert.equal(ran.split('\n')[0], inWorkspace());
  });

  it('is not continued in the CLI where there is none, where nobody trusts, or with an id that is none', async () => {
    const head = await thread(inWorkspace());
    const before = vscode.window.terminals.length;
    await actions.runAction('continueInAmp', head);
    assert.match(messages.errors[0] ?? '', /not installed/);
    await installAmp();
    isTrusted = false;
    await actions.runAction('continueInAmp', head);
    assert.match(messages.errors[1] ?? '', /Trust/);
    isTrusted = true;
    const evil = { ...head, id: 'T-1; touch /tmp/x' };
    await assert.rejects(actions.runAction('continueInAmp', evil), /not a valid thread ID/);
    assert.ok(!actions.availableFor(evil).includes('continueInAmp'));
    assert.equal(vscode.window.terminals.length, before);
  });

  it('is continued by another agent with a digest of it, in its folder when that is in the workspace', async () => {
    await mkdir(inWorkspace('packages', 'one'), { recursive: true });
    await actions.runAction('continueInChat', await thread('/gone/away', inWorkspace('packages', 'one')));
    const [{ digest, folder } = nothing] = begun;
    assert.equal(folder, inWorkspace('packages', 'one'));
    for (const part of [threadId(1), 'User: What is **bold**?', `You work in the same folder, ${folder}`]) {
      assert.ok(digest.text.includes(part), digest.text);
    }
  });

  it('is continued by another agent in the workspace when it worked elsewhere, which the digest says', async () => {
    await mkdir(path.join(tested.folder, 'worktree'));
    await actions.runAction('continueInChat', await thread(path.join(tested.folder, 'worktree')));
    const [{ digest, folder } = nothing] = begun;
    assert.equal(folder, inWorkspace());
    assert.match(digest.text, /You work in .*\. That conversation worked in .*worktree/);
  });

  it('starts no agent where nobody trusts', async () => {
    const head = await thread(inWorkspace());
    isTrusted = false;
    await actions.runAction('continueInChat', head);
    assert.deepEqual(begun, []);
    assert.match(messages.errors[0] ?? '', /Trust/);
  });

  for (const [action, name, parts] of [
    ['exportMarkdown', 'Tax in the cart.md', ['# Tax in the cart', 'What is \\*\\*bold\\*\\*?']],
    ['exportHtml', 'Tax in the cart.html', ['<title>Tax in the cart', '&lt;b&gt;text&lt;/b&gt;']],
    ['exportJson', 'Tax in the cart.json', ['"Tax in the cart"', '"What is **bold**?"']],
  ] as const) {
    it(`is written to a file: ${name}`, async () => {
      chosen = vscode.Uri.file(path.join(tested.folder, 'exported'));
      await actions.runAction(action, await thread(inWorkspace()));
      const text = await readFile(chosen.fsPath, 'utf8');
      for (const part of parts) assert.ok(text.includes(part), `${part} is not in ${text}`);
      assert.equal(suggestions.at(-1), name);
      assert.match(messages.infos[0] ?? '', /exported/);
    });
  }

  it('has the steps of its subagents where it is exported', async () => {
    await tested.write(2, 'Subagent', [answer('I found **it**.', 0)], { mainThreadID: threadId(1) });
    await tested.write(1, 'Main', [...subagentCall(1, threadId(2)), ...subagentCall(3, threadId(7))]);
    await tested.rows();
    const head = tested.threads.library.find(threadId(1));
    assert.ok(head);
    chosen = vscode.Uri.file(path.join(tested.folder, 'exported'));
    await actions.runAction('exportMarkdown', head);
    const text = await readFile(chosen.fsPath, 'utf8');
    for (const part of ['I found **it**.', `${threadId(7)} is not in the list`, `ampcode.com/threads/${threadId(2)}`])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
  });

  it('opens again from its JSON, with all that was known of it', async () => {
    chosen = vscode.Uri.file(path.join(tested.folder, 'exported.json'));
    const head = await thread(inWorkspace());
    await actions.runAction('exportJson', head);
    const { facts, entries } = await tested.threads.library.read(head.id);
    const { id } = await tested.threads.files.add(chosen.fsPath);
    assert.equal(id, head.id);
    const again = await tested.threads.files.read(id);
    assert.deepEqual([again.facts, again.entries], [facts, entries]);
    assert.deepEqual(again.head.folders, head.folders);
  });

  it('is not written when the user chooses no file', async () => {
    await actions.runAction('exportMarkdown', await thread(inWorkspace()));
    assert.deepEqual(messages.infos, []);
  });

  it('is copied as a link, as a path and by its id', async () => {
    const head = await thread(inWorkspace());
    for (const [action, text] of [
      ['copyLink', `https://ampcode.com/threads/${head.id}`],
      ['copyPath', tested.file(1)],
      ['copyId', head.id],
    ] as const) {
      await actions.runAction(action, head);
      assert.equal(await vscode.env.clipboard.readText(), text);
    }
  });

  it('has no path where it is in no file', async () => {
    const { path: file, ...head } = await thread(inWorkspace());
    assert.ok(file !== undefined);
    assert.ok(!actions.availableFor(head).includes('copyPath'));
    await assert.rejects(actions.runAction('copyPath', head), /no file on this machine/);
  });

  // Elsewhere it is the system's file manager that shows it.
  only('in a window of a remote machine', vscode.env.remoteName !== undefined).it('is shown as a file', async () => {
    await actions.runAction('reveal', await thread(inWorkspace()));
    await eventually('the file', () =>
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, tested.file(1)),
    );
  });
});
