import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChoices, findOption, highestUnattendedAction } from '../../src/session/common/optionChoices';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { agentContextTool } from '../../src/context/common/ai/contextTool';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { launcherIn } from './support/agentLaunch';
import { ContextServer } from './support/contextServer';
import { ModelServer, type ModelScript } from './support/modelServer';
import { opencode } from './support/realAgents';

describe('opencode', function () {
  this.timeout(60_000);
  let home: string;
  let folder: string;
  let editor: FakeEditor;
  let model: ModelServer;
  let backend: SessionBackend;
  let context: ContextServer;

  const script: ModelScript = (asked, result, tools) => {
    if (result !== undefined) return { say: `The tool said: ${result.slice(0, 200)}` };
    if (asked.includes('WRITE'))
      return { call: 'write', input: { filePath: join(folder, 'new.txt'), content: 'by agent\n' } };
    if (asked.includes('SHELL'))
      return { call: 'bash', input: { command: 'echo from the shell', description: 'Echo' } };
    if (asked.includes('OWNER')) {
      const call = tools.find((name) => name.endsWith(agentContextTool.name));
      return call ? { call, input: { file: 'old.txt' } } : { say: `There are only ${tools.join(', ')}` };
    }
    return { say: 'Hello from the script.' };
  };

  before(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'backline-opencode-')));
    folder = join(home, 'work');
    await mkdir(folder);
    await writeFile(join(folder, 'old.txt'), 'one\n');
    model = new ModelServer(script);
    await opencode.configure(home, await model.start());
    editor = new FakeEditor({ [join(folder, 'old.txt')]: 'one\n' }, [folder]);
    context = await ContextServer.start(join(folder, 'old.txt'));
    const { headers, name, url } = context.address;
    const windowMcpServers = () => Promise.resolve({ [name]: { type: 'http', url, headers } });
    backend = launcherIn({ home, folder }, { editor, windowMcpServers }).createBackend({
      id: 'opencode',
      title: 'OpenCode',
      command: process.env['BACKLINE_TEST_OPENCODE'] ?? '',
      args: ['acp'],
      env: {},
      dialect: 'v1',
      mcpServers: {},
      missingFile: 'error',
      source: 'found',
    });
  });

  after(async () => {
    await backend.stop();
    backend.dispose();
    await model.stop();
    await context.stop();
    await rm(home, { recursive: true, force: true });
  });

  async function chat(): Promise<{ session: BackendSession; follower: Follower }> {
    const session = await backend.createSession({ cwd: folder });
    return { session, follower: new Follower(session, 30_000) };
  }

  it('tells its modes before the first prompt, which goes out in the one that is chosen', async () => {
    const session = await backend.prepareSession?.({ cwd: folder });
    assert.ok(session);
    const mode = () => findOption(session.config, 'mode');
    assert.ok(mode(), JSON.stringify(session.config));
    assert.equal(highestUnattendedAction(session.config), 'runs', 'build');
    const plan = { option: 'mode', value: 'plan', from: 'user', isShown: true } as const;
    assert.deepEqual(await applyChoices(session, [plan], backend.title), []);
    assert.equal(mode()?.value, 'plan');
    assert.equal(highestUnattendedAction(session.config), undefined);
    const follower = new Follower(session, 30_000);
    await session.sendPrompt({ text: 'Hello' });
    assert.match((await follower.next('prompt:complete')).response, /Hello from the script/);
    assert.equal(mode()?.value, 'plan');
    await session.close();
  });

  async function allow(session: BackendSession, follower: Follower) {
    const question = await follower.next('approval:required');
    const option = question.options[question.option_kinds?.indexOf('allow_once') ?? -1];
    assert.ok(option !== undefined, JSON.stringify(question));
    await session.answerApproval(question.approval_id, option);
    return question;
  }

  it('starts, and answers in words, with its models and modes to choose from', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'Hi' });
    const { response, stop_reason } = await follower.next('prompt:complete');
    assert.match(response, /Hello from the script/);
    assert.equal(stop_reason, 'end_turn');
    assert.ok(session.config.some(({ category }) => category === 'model'));
    assert.equal(backend.state.kind, 'ready');
  });

  it('asks before it writes, shows the diff, and writes through the editor', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'WRITE it' });
    const question = await allow(session, follower);
    assert.match(question.prompt, /wants to edit new\.txt/);
    assert.match(JSON.stringify(question.context?.['content']), /"type":"diff".*new\.txt.*by agent/);
    await follower.next('prompt:complete');
    assert.equal((await editor.readText(join(folder, 'new.txt'))).text, 'by agent\n');
    assert.equal(follower.all('tool:post').length, 1);
  });

  it('asks before it runs a command, and shows its output', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'SHELL it' });
    assert.match((await allow(session, follower)).prompt, /echo from the shell/);
    assert.match((await follower.next('prompt:complete')).response, /from the shell/);
    assert.match(JSON.stringify(follower.all('tool:post')), /from the shell/);
  });

  it('is given the items of context providers as a tool, and calls it', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'OWNER?' });
    const { response } = await follower.next('prompt:complete');
    assert.match(response, /old\.txt:1 — Owned by Alice \(owners\)\nAsk her\./);
    assert.match(JSON.stringify(follower.all('tool:post')), /Owned by Alice/);
  });

  it('does nothing that the user rejects', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'SHELL it' });
    const question = await follower.next('approval:required');
    await session.answerApproval(
      question.approval_id,
      question.options[question.option_kinds?.indexOf('reject_once') ?? -1] ?? '',
    );
    await follower.next('prompt:complete');
    assert.equal(follower.all('tool:error').length, 1);
  });

  it('remembers its conversations, in another process too', async () => {
    const { session, follower } = await chat();
    await session.sendPrompt({ text: 'Hi again' });
    await follower.next('prompt:complete');
    assert.ok((await backend.listSessions({ cwd: folder })).some(({ id }) => id === session.id));
    await session.close();
    await backend.stop();
    const loaded = await backend.loadSession(session.id, { cwd: folder });
    const told = new Follower(loaded, 30_000);
    assert.equal((await told.next('prompt:submit')).prompt, 'Hi again');
    assert.match((await told.next('prompt:complete')).response, /Hello from the script/);
  });
});
