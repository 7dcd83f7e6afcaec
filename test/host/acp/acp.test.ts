import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isProcessTreeAlive } from '../../support/isProcessTreeAlive';
import { SignInTerminals } from '../../../src/acp/vscode/signIn/signInTerminal';
import { commandIds } from '../../../src/manifest';
import { AgentsUnderTest, type Chat } from '../support/agents';
import { eventually } from '../../support/eventually';
import { closeAll, closeTerminals, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const before = 'const colour = 1;\r\nconsole.log(colour);\r\n';
const after = 'const color = 1;\r\nconsole.log(color);\r\n';
const rename = (file: string) => `rename colour to color in ${file}`;

describe('agents', () => {
  let agents: AgentsUnderTest;

  beforeEach(() => {
    agents = new AgentsUnderTest();
  });
  afterEach(async () => {
    await agents.dispose();
    // What is killed stays a zombie until Node.js has heard of its end.
    assert.deepEqual(agents.pids.filter(isProcessTreeAlive), [], 'no process is left');
    await closeAll();
  });

  async function undone(document: vscode.TextDocument): Promise<string> {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    return document.getText();
  }

  for (const dialect of ['v1', 'original', 'document']) {
    it(`of ${dialect} change an open CRLF file when the user allows it, so that undo takes it back`, async () => {
      const file = await writeInWorkspace(`acp/${dialect}.ts`, before);
      const { document } = await show(file);
      const chat = await agents.chat(dialect);
      await chat.prompt(rename(file));
      const question = await chat.answer('allow_once');
      assert.ok(question.prompt.includes(`acp/${dialect}.ts`), question.prompt);
      assert.match(JSON.stringify(question.context), /"new_text":"const color/);
      await chat.answered();
      assert.equal(document.getText(), after);
      assert.equal(document.isDirty, false);
      assert.equal(await readFile(file, 'utf8'), after);
      assert.equal(await undone(document), before);
    });

    it(`of ${dialect} change nothing when the user says no`, async () => {
      const file = await writeInWorkspace(`acp/${dialect}-no.ts`, before);
      const chat = await agents.chat(dialect);
      await chat.prompt(rename(file));
      await chat.answer('reject_once');
      await chat.answered();
      assert.equal(await readFile(file, 'utf8'), before);
    });
  }

  it('overwrite unsaved text only with the user’s word', async () => {
    const file = await writeInWorkspace('acp/dirty.ts', before);
    const editor = await show(file);
    await type(editor, new vscode.Position(0, 0), '// mine\r\n');
    const { document } = editor;
    const chat = await agents.chat('v1');

    await chat.prompt(rename(file));
    await chat.answer('allow_once');
    assert.match((await chat.answer('reject_once')).prompt, /overwrite unsaved changes/);
    assert.match((await chat.answered()).response, /unsaved changes that the user wants to keep/);
    assert.equal(document.getText(), `// mine\r\n${before}`);
    assert.equal(document.isDirty, true);

    await chat.prompt(rename(file));
    await chat.answer('allow_once');
    await chat.answer('allow_once');
    await chat.answered();
    assert.equal(document.getText(), `// mine\r\n${after}`);
    assert.equal(await undone(document), `// mine\r\n${before}`);
  });

  it('of the draft put their change on top of unsaved text, which stays unsaved', async () => {
    const file = await writeInWorkspace('acp/draft-dirty.ts', before);
    const editor = await show(file);
    await type(editor, new vscode.Position(0, 0), '// mine\r\n');
    const chat = await agents.chat('original');
    await chat.prompt(rename(file));
    await chat.answer('allow_once');
    await chat.answered();
    assert.equal(editor.document.getText(), `// mine\r\n${after}`);
    assert.equal(editor.document.isDirty, true);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  it('run a command where the user sees its output, after asking', async () => {
    const chat = await agents.chat('v1');
    await chat.prompt(`run ${process.execPath} -e "console.log(6 * 7)"`);
    const { prompt } = await chat.answer('allow_once');
    // The folder is the session's own, which goes without saying.
    assert.match(prompt, /wants to run .*console\.log\(6 \* 7\)'$/);
    assert.match((await chat.answered()).response, /exit code 0/);
    const contents = chat.follower.all('tool:post').flatMap(({ content }) => content ?? []);
    const terminal = contents.find((content) => content.type === 'terminal');
    assert.deepEqual([terminal?.output, terminal?.exit_code], ['42\n', 0]);
  });

  it('that die in the middle of a turn end it with an error, and the next prompt works', async () => {
    const chat = await agents.chat('v1');
    await chat.prompt('/slow 500');
    await chat.follower.next('content_block:delta');
    const [pid] = agents.pids;
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    assert.match((await chat.follower.next('error')).error, /ended unexpectedly \(SIGKILL\)/);
    await chat.session.sendPrompt({ text: 'help' });
    assert.match((await chat.follower.next('prompt:complete')).response, /Demo agent/);
    assert.equal(agents.pids.length, 2);
  });

  it('are not started in a workspace that the user does not trust', async () => {
    agents.isTrusted = false;
    await assert.rejects(agents.chat('v1'), /untrusted workspace/);
    assert.deepEqual(agents.pids, []);
    agents.isTrusted = true;
    const backend = await agents.registry.open('v1');
    agents.isTrusted = false;
    await assert.rejects(backend.createSession({ cwd: inWorkspace() }), /not trusted/);
    assert.deepEqual(agents.pids, []);
  });

  it('are gone when they are stopped, with what they have started', async () => {
    const chat = await agents.chat('v1');
    await chat.prompt(`run ${process.execPath} -e "console.log('pid', process.pid); setInterval(() => {}, 1000)"`);
    await chat.answer('allow_once');
    const pid = await eventually('the command', () => {
      const said = /"output":"pid (\d+)/.exec(JSON.stringify(chat.follower.events))?.[1];
      assert.ok(said !== undefined);
      return Number(said);
    });
    assert.ok(isProcessTreeAlive(pid));
    await agents.registry.stopAll();
    assert.deepEqual([...agents.pids, pid].filter(isProcessTreeAlive), []);
  });

  it('leave names, sizes and times in the traffic, not what is said', async () => {
    const watching = agents.traffic.startRecording();
    const chats: Chat[] = [];
    for (const id of ['v1', 'original']) {
      const chat = await agents.chat(id);
      chats.push(chat);
      await chat.prompt('hello, my secret is xyzzy');
      await chat.answered();
    }
    const { recordedEntries: recorded } = agents.traffic;
    assert.ok(recorded.some(({ method, peer }) => method === 'session/prompt' && peer === 'Demo v1'));
    assert.ok(recorded.some(({ method, peer }) => method === 'sendMessage' && peer === 'Demo original'));
    assert.doesNotMatch(JSON.stringify(recorded), /xyzzy|Demo agent \(no model\)/);
    watching.dispose();
  });
});

describe('the terminal to sign in with', () => {
  it('tells whether its command ended well', async () => {
    const terminals = new SignInTerminals();
    const exit = (code: string) => ({
      title: 'Sign in',
      file: process.execPath,
      args: ['-e', `process.exit(Number(process.env.CODE))`],
      env: { ELECTRON_RUN_AS_NODE: '1', CODE: code },
      cwd: inWorkspace(),
    });
    assert.equal(await terminals.run(exit('0')), true);
    assert.equal(await terminals.run(exit('3')), false);
    const open = terminals.run({ ...exit('0'), args: ['-e', 'setInterval(() => {}, 1000)'] });
    terminals.dispose();
    assert.equal(await open, false);
    await closeTerminals(({ name }) => name === 'Sign in');
  });
});

describe('the commands of agents', () => {
  it('explain themselves when there is nothing to do', async () => {
    for (const id of [commandIds.acpRestartAgent, commandIds.acpSignIn]) {
      assert.equal(await vscode.commands.executeCommand(id), undefined);
    }
  });
});
