import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isProcessTreeAlive } from '../../support/isProcessTreeAlive';
import { SignInTerminals } from '../../../src/acp/vscode/signIn/signInTerminal';
import { SignInServices } from '../../../src/acp/vscode/signIn/signInServices';
import { nullLogger } from '../../../src/base/common/log';
import { commandIds } from '../../../src/manifest';
import { FakeSecrets } from '../../fake/fakeSecrets';
import { MemoryMemento } from '../../fake/memoryMemento';
import { eventually, until } from '../../support/eventually';
import { AgentsUnderTest, extendedDemoAgent } from '../support/agents';
import { closeAll, closeTerminals, inExtension, inWorkspace } from '../support/workspace';

const rightKey = 'sk-right-1234567890';

describe('signing in to an agent', () => {
  let agents: AgentsUnderTest;
  let services: SignInServices;
  let secrets: FakeSecrets;
  let memento: MemoryMemento;
  let terminals: SignInTerminals;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
    secrets = new FakeSecrets();
    memento = new MemoryMemento();
    terminals = new SignInTerminals();
    services = new SignInServices({ secrets, memento, log: nullLogger });
    agents = new AgentsUnderTest({
      entries: [
        {
          id: 'keyed',
          title: 'Keyed agent',
          args: [inExtension('test', 'fixtures', 'agents', 'keyed.mjs')],
        },
        {
          id: 'terminal',
          title: 'Terminal agent',
          args: [extendedDemoAgent(), '--auth', '--state', folder],
        },
      ],
      keysOf: (id) => services.keys.keysOf(id),
      needsSignIn: (id) => services.memory.needsSignIn(id),
      runInTerminal: (command, signal) => terminals.run(command, signal),
    });
    services.keys.start();
  });
  afterEach(async () => {
    await agents.dispose();
    services.keys.dispose();
    terminals.dispose();
    await closeTerminals(({ name }) => name.startsWith('Terminal agent'));
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(agents.pids.filter(isProcessTreeAlive), [], 'no process is left');
    await closeAll();
  });

  it('with a key opens the session that waited, and signing out takes the key away', async () => {
    const backend = await agents.registry.open('keyed');
    const chat = agents.chat('keyed');
    await until('the missing sign-in', () => backend.state.kind === 'authRequired');
    await services.memory.update('keyed', backend.state);
    const listed = (await agents.registry.list()).find(({ id }) => id === 'keyed');
    assert.equal(listed?.needsSignIn, true);

    await services.agentKeysPort.setSecret('keyed', 'KEYED_API_KEY', 'sk-wrong-1234567890');
    await assert.rejects(backend.authenticate?.('key') ?? Promise.resolve(), {
      message: 'Keyed agent did not accept the key. It reported: The key is wrong',
    });
    await services.agentKeysPort.setSecret('keyed', 'KEYED_API_KEY', rightKey);
    await backend.authenticate?.('key');
    const open = await chat;
    await open.prompt('hello');
    await open.answered();
    assert.deepEqual(
      open.follower
        .all('content_block:delta')
        .map(({ delta }) => delta)
        .join(''),
      'You said: hello',
    );

    await services.agentKeysPort.deleteAll('keyed');
    await backend.stop();
    assert.deepEqual([secrets.values.size, services.keys.agentIds], [0, []]);
    const state = await backend.signInMethods?.(new AbortController().signal);
    assert.equal(state?.isSignedIn, false);
  });

  it('in a terminal sees its end, and reconnects', async () => {
    const backend = await agents.registry.open('terminal');
    const chat = agents.chat('terminal');
    await until('the missing sign-in', () => backend.state.kind === 'authRequired');
    await backend.authenticate?.('demo-terminal');
    await (await chat).prompt('hello');
    await (await chat).answered();
    assert.equal(backend.state.kind, 'ready');
  });

  it('in a terminal that the user closes is said to have failed', async () => {
    const backend = await agents.registry.open('terminal');
    const command = { title: 'Terminal agent: open', file: process.execPath, cwd: inWorkspace() };
    const args = ['-e', 'setInterval(() => {}, 1000)'];
    const abort = new AbortController();
    const running = terminals.run({ ...command, args, env: { ELECTRON_RUN_AS_NODE: '1' } }, abort.signal);
    await eventually('the terminal', () =>
      assert.ok(vscode.window.terminals.some(({ name }) => name === command.title)),
    );
    abort.abort();
    assert.equal(await running, false);
    assert.equal(backend.state.kind, 'stopped');
  });
});

describe('the commands that sign in and out', () => {
  it('are there', async () => {
    const all = await vscode.commands.getCommands(true);
    for (const id of [commandIds.acpSignIn, commandIds.acpSignOut, commandIds.acpManageKeys])
      assert.ok(all.includes(id));
  });
});
