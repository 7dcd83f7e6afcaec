import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChoices, findOption, unattendedActionsOf } from '../../src/session/common/optionChoices';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { AgentLauncher } from '../../src/acp/node/catalogue/agentLauncher';
import { contextItemsTool } from '../../src/context/common/ai/contextTool';
import type { McpAddress } from '../../src/tools/node/mcpServer';
import { disabledTrafficTap } from '../../src/wire/common/traffic';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { ContextServer } from './support/contextServer';
import { ModelServer, type ModelScript } from './support/modelServer';
import { standingOf } from '../fake/fakePermissions';
import { answeringConsent } from '../fake/answeringConsent';

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
      const call = tools.find((name) => name.endsWith(contextItemsTool.name));
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
    await configure(home, await model.start());
    editor = new FakeEditor({ [join(folder, 'old.txt')]: 'one\n' }, [folder]);
    context = await ContextServer.start(join(folder, 'old.txt'));
    backend = await launcher(home, folder, editor, context.address).create({
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
    assert.equal(unattendedActionsOf(session.config), 'runs', 'build');
    const plan = { option: 'mode', value: 'plan', from: 'user', isShown: true } as const;
    assert.deepEqual(await applyChoices(session, [plan], backend.title), []);
    assert.equal(mode()?.value, 'plan');
    assert.equal(unattendedActionsOf(session.config), undefined);
    const follower = new Follower(session, 30_000);
    await session.prompt({ text: 'Hello' });
    assert.match((await follower.next('prompt:complete')).response, /Hello from the script/);
    assert.equal(mode()?.value, 'plan');
    await session.close();
  });

  async function allow(session: BackendSession, follower: Follower) {
    const question = await follower.next('approval:required');
    const option = question.options[question.option_kinds?.indexOf('allow_once') ?? -1];
    assert.ok(option !== undefined, JSON.stringify(question));
    await session.approve(question.approval_id, option);
    return question;
  }

  it('starts, and answers in words, with its models and modes to choose from', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'Hi' });
    const { response, stop_reason } = await follower.next('prompt:complete');
    assert.match(response, /Hello from the script/);
    assert.equal(stop_reason, 'end_turn');
    assert.ok(session.config.some(({ category }) => category === 'model'));
    assert.equal(backend.state.kind, 'ready');
  });

  it('asks before it writes, shows the diff, and writes through the editor', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'WRITE it' });
    const question = await allow(session, follower);
    assert.match(question.prompt, /wants to edit new\.txt/);
    assert.match(JSON.stringify(question.context?.['content']), /"type":"diff".*new\.txt.*by agent/);
    await follower.next('prompt:complete');
    assert.equal((await editor.readText(join(folder, 'new.txt'))).text, 'by agent\n');
    assert.equal(follower.all('tool:post').length, 1);
  });

  it('asks before it runs a command, and shows its output', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'SHELL it' });
    assert.match((await allow(session, follower)).prompt, /echo from the shell/);
    assert.match((await follower.next('prompt:complete')).response, /from the shell/);
    assert.match(JSON.stringify(follower.all('tool:post')), /from the shell/);
  });

  it('is given the items of context providers as a tool, and calls it', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'OWNER?' });
    const { response } = await follower.next('prompt:complete');
    assert.match(response, /old\.txt:1 — Owned by Alice \(owners\)\nAsk her\./);
    assert.match(JSON.stringify(follower.all('tool:post')), /Owned by Alice/);
  });

  it('does nothing that the user rejects', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'SHELL it' });
    const question = await follower.next('approval:required');
    await session.approve(
      question.approval_id,
      question.options[question.option_kinds?.indexOf('reject_once') ?? -1] ?? '',
    );
    await follower.next('prompt:complete');
    assert.equal(follower.all('tool:error').length, 1);
  });

  it('remembers its conversations, in another process too', async () => {
    const { session, follower } = await chat();
    await session.prompt({ text: 'Hi again' });
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

async function configure(home: string, baseURL: string): Promise<void> {
  const config = join(home, '.config', 'opencode');
  await mkdir(config, { recursive: true });
  const models = { scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 10_000 } } };
  const settings = {
    autoupdate: false,
    share: 'disabled',
    model: 'local/scripted',
    small_model: 'local/scripted',
    permission: { edit: 'ask', bash: 'ask' },
    provider: {
      local: { npm: '@ai-sdk/openai-compatible', name: 'Local', options: { baseURL, apiKey: 'none' }, models },
    },
  };
  await writeFile(join(config, 'opencode.json'), JSON.stringify(settings));
}

function launcher(home: string, folder: string, editor: FakeEditor, context: McpAddress): AgentLauncher {
  const { name, url, headers } = context;
  return new AgentLauncher({
    windowMcpServers: () => Promise.resolve({ [name]: { type: 'http', url, headers } }),
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor,
    clock: systemClock,
    log: nullLogger,
    tap: disabledTrafficTap,
    standing: standingOf(),
    environment: () => Promise.resolve({ PATH: process.env['PATH'] ?? '', HOME: home }),
    defaultFolder: () => folder,
    isTrusted: () => true,
    agentConsent: { consent: answeringConsent('denied'), places: () => ({ cwd: folder, folders: [folder] }) },
    createId: randomUUID,
    random: Math.random,
    elicit: () => Promise.resolve({ action: 'decline' }),
    runInTerminal: () => Promise.resolve(false),
    keysOf: () => Promise.resolve({}),
  });
}
