import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { diskCommandFileAccess } from '../../../src/acp/node/process/commandLookup';
import { loadAgentCatalogue } from '../../../src/acp/node/catalogue/agentCatalogue';
import { AgentLauncher } from '../../../src/acp/node/catalogue/agentLauncher';
import { AgentBackendRegistry } from '../../../src/acp/node/catalogue/agentBackendRegistry';
import { AgentsPort } from '../../../src/acp/vscode/agentsPort';
import type { AgentQuestions } from '../../../src/agents/common/agentPorts';
import type { AgentCard } from '../../../src/agents/common/page/agentsApi';
import { AgentsController } from '../../../src/agents/vscode/agentsController';
import { StatusBoard } from '../../../src/base/common/feature';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { settingIds } from '../../../src/manifest';
import { Commands } from '../../../src/platform/vscode/commands';
import { createNoticeBoard } from '../../../src/platform/vscode/messages';
import { Settings } from '../../../src/platform/vscode/settings';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { answeringConsent } from '../../fake/answeringConsent';
import { Follower } from '../../fake/backendHarness';
import { FakeAgentSecrets } from '../../fake/acp/fakeAgents';
import { standingOf } from '../../fake/fakePermissions';
import { MemoryMemento } from '../../fake/memoryMemento';
import { NpmRegistry } from '../../fake/agents/npmRegistry';
import { until } from '../../support/eventually';
import { AdapterUnderTest } from '../support/editorAdapter';
import { inExtension, inWorkspace, setSetting } from '../support/workspace';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

const throwIt = (error: unknown): void => {
  throw error;
};
const key = 'registry:key-agent';

describe('installing agents', () => {
  let npm: NpmRegistry;
  let folder: string;
  let editor: AdapterUnderTest;
  let registry: AgentBackendRegistry;
  let controller: AgentsController;
  let isConfirmed: boolean;
  let asked: string[];

  const questions: AgentQuestions = {
    confirmInstall: ({ name, version, address }) => {
      asked.push(`${name} ${version} from ${new URL(address).origin}`);
      return Promise.resolve(isConfirmed);
    },
    confirmRemove: ({ name }, isWorking) => {
      asked.push(`remove ${name}, ${isWorking ? 'at work' : 'idle'}`);
      return Promise.resolve(isConfirmed);
    },
    askAccount: () => Promise.resolve('Work'),
    confirmRemoveAccount: ({ name }, account) => {
      asked.push(`remove ${account} of ${name}`);
      return Promise.resolve(isConfirmed);
    },
  };

  async function publish(version: string): Promise<void> {
    const program = await readFile(inExtension('test', 'fixtures', 'agents', 'keyAgent.mjs'), 'utf8');
    const files = { 'agent.mjs': program.replace('__VERSION__', version) };
    await npm.publish({ name: 'key-agent', version, files, bin: { 'key-agent': 'agent.mjs' } });
    const distribution = { npx: { package: `key-agent@${version}`, env: { FAKE_API_KEY: 'abc' } } };
    const agent = {
      id: 'key-agent',
      name: 'Key Agent',
      version,
      description: 'Of the tests',
      authors: ['Ada'],
      distribution,
    };
    npm.agents = { version: '1.0.0', agents: [agent] };
  }

  beforeEach(async () => {
    [isConfirmed, asked] = [true, []];
    npm = await NpmRegistry.start();
    await publish('1.0.0');
    folder = await mkdtemp(path.join(tmpdir(), 'backline-agents-'));
    const userconfig = path.join(folder, 'npmrc');
    await writeFile(userconfig, `registry=${npm.origin}/\n`);
    await setSetting(settingIds.agentsRegistry, npm.agentsAddress, vscode.ConfigurationTarget.Global);
    const variables = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const env = { ...Object.fromEntries(variables), npm_config_userconfig: userconfig };
    editor = new AdapterUnderTest();
    const agentConsent = {
      consent: answeringConsent('denied'),
      places: () => ({ cwd: inWorkspace(), folders: [inWorkspace()] }),
    };
    const launcher: AgentLauncher = new AgentLauncher({
      clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
      editor: editor.adapter,
      clock: systemClock,
      http: new OutgoingHttp(),
      log: nullLogger,
      tap: disabledTrafficTap,
      standing: standingOf(),
      environment: env,
      defaultFolder: () => inWorkspace(),
      isTrusted: () => true,
      agentConsent,
      newestEntry: (entry) => registry.newestEntry(entry),
      createId: randomUUID,
      random: Math.random,
      elicit: () => Promise.resolve({ action: 'decline' }),
      runInTerminal: () => Promise.resolve(false),
      keysOf: () => Promise.resolve({}),
    });
    registry = new AgentBackendRegistry({
      loadCatalogue: () =>
        loadAgentCatalogue({
          platform: process.platform,
          levels: [],
          installed: controller.installed(),
          env: { PATH: '' },
          cwd: inWorkspace(),
          files: diskCommandFileAccess,
          demo: { execPath: process.execPath, script: 'demo.js' },
        }),
      createBackend: (entry) => Promise.resolve(launcher.createBackend(entry)),
      isTrusted: () => true,
      agentConsent,
      needsSignIn: () => false,
      isWorking: () => false,
      onDidPostpone: () => undefined,
      log: nullLogger,
    });
    const port = new AgentsPort({
      registry,
      origins: { holderOf: () => undefined },
      getLauncher: () => Promise.resolve(launcher),
      loadedLauncher: () => launcher,
      hasChangedProviders: () => false,
      environment: () => env,
      guardProcess: () => ({ dispose: () => undefined }),
    });
    const { platform, arch, execPath } = process;
    controller = new AgentsController({
      log: nullLogger,
      status: new StatusBoard(throwIt),
      commands: new Commands(nullLogger),
      settings: new Settings(nullLogger),
      clock: systemClock,
      notices: createNoticeBoard(nullLogger),
      install: {
        ...port.install,
        system: { platform, arch, execPath, nodeVersion: process.versions.node, home: homedir() },
        fetch,
      },
      tryAgent: port.install.tryAgent,
      backends: {
        onDidChange: (listener) => port.onDidChange(listener),
        list: () => port.list(),
        stateOf: (id) => port.stateOf(id),
        backendIdOf: (agent) => port.backendIdOf(agent),
        stop: (id) => port.stop(id),
        isWorking: () => false,
        onDidEndTurn: () => ({ dispose: () => undefined }),
      },
      secrets: new FakeAgentSecrets(),
      defaultFolder: () => inWorkspace(),
      memento: new MemoryMemento(),
      storageFolder: path.join(folder, 'agents'),
      extensionUri: vscode.Uri.file(folder),
      onDidChangeInstalled: () => void registry.refresh(),
      questions,
    });
    await controller.start();
    await controller.refresh();
  });

  afterEach(async () => {
    await registry.stopAll();
    registry.dispose();
    await controller.stop();
    controller.dispose();
    editor.dispose();
    await npm.stop();
    await setSetting(settingIds.agentsRegistry, undefined, vscode.ConfigurationTarget.Global);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const noForm = (): void => assert.fail('no form is meant');
  const card = async (): Promise<AgentCard> => {
    const found = (await controller.loadView()).cards.find((other) => other.key === key);
    assert.ok(found);
    return found;
  };
  async function answer(prompt = 'Hello?', id = 'key-agent', during = (): Promise<unknown> => Promise.resolve()) {
    const backend = await registry.open(id);
    const session = await backend.createSession({ cwd: inWorkspace() });
    const follower = new Follower(session, 45_000);
    await session.sendPrompt({ text: prompt });
    await during();
    const { response } = await follower.next('prompt:complete', 1);
    const texts = follower.events.flatMap(({ event, data }) => (event === 'content_block:delta' ? [data.delta] : []));
    await session.close();
    return `${texts.join('')}${response}`;
  }

  it('asks with what and from where, and the agent then answers in a conversation', async () => {
    assert.equal((await card()).group, 'others');
    await controller.act(key, 'install', noForm);
    assert.deepEqual(asked, [`Key Agent 1.0.0 from ${npm.origin}`]);
    const installed = await card();
    assert.deepEqual([installed.group, installed.state], ['here', { kind: 'installed', text: 'Installed' }]);
    assert.match(await answer(), /Key Agent 1\.0\.0 says hello/);
    assert.equal((await card()).state.kind, 'ready');
  });

  it('installs nothing that was not confirmed', async () => {
    isConfirmed = false;
    await controller.act(key, 'install', noForm);
    assert.equal((await card()).group, 'others');
    assert.deepEqual(
      (await registry.list()).map(({ source }) => source),
      ['demo'],
    );
  });

  it('updates without asking again, and the process that runs keeps its version until it is restarted', async () => {
    await controller.act(key, 'install', noForm);
    assert.match(await answer(), /Key Agent 1\.0\.0/);
    await publish('1.1.0');
    await controller.refresh();
    assert.equal((await card()).state.text, 'Update available: version 1.1.0');
    await controller.act(key, 'update', noForm);
    assert.equal(asked.length, 1);
    assert.equal((await card()).state.text, 'Restart to use version 1.1.0');
    assert.match(await answer(), /Key Agent 1\.0\.0/);
    await registry.backends[0]?.stop();
    assert.match(await answer(), /Key Agent 1\.1\.0/);
    assert.equal((await card()).state.kind, 'ready');
  });

  it('updates while a turn runs, which goes on and ends in its version', async () => {
    await controller.act(key, 'install', noForm);
    await publish('1.1.0');
    await controller.refresh();
    const file = path.join(folder, 'done');
    const text = await answer(`Work until ${file}`, 'key-agent', async () => {
      await controller.act(key, 'update', noForm);
      assert.equal((await card()).state.text, 'Restart to use version 1.1.0');
      await writeFile(file, '');
    });
    assert.match(text, /Key Agent 1\.0\.0/);
    await registry.backends[0]?.stop();
    assert.match(await answer(), /Key Agent 1\.1\.0/);
  });

  it('works offline with what is installed', async () => {
    await controller.act(key, 'install', noForm);
    await npm.stop();
    await controller.refresh();
    assert.match((await controller.loadView()).registry.checked, /^Offline\. List checked on /);
    assert.equal((await card()).state.text, 'Installed');
    assert.match(await answer(), /Key Agent 1\.0\.0/);
  });

  it('has a further account as an agent of its own, until it is removed', async () => {
    await controller.act(key, 'install', noForm);
    await controller.act(key, 'addAccount', noForm);
    const account = async (): Promise<AgentCard | undefined> =>
      (await controller.loadView()).cards.find((other) => other.key === `${key}~Work`);
    assert.deepEqual([(await account())?.name, (await account())?.state.text], ['Key Agent (Work)', 'Installed']);
    assert.match(await answer('Hello?', 'key-agent~Work'), /Key Agent 1\.0\.0/);
    assert.deepEqual(registry.backends.map(({ id }) => id).toSorted(), ['key-agent~Work']);
    await controller.act(`${key}~Work`, 'removeAccount', noForm);
    assert.equal(asked.at(-1), 'remove Work of Key Agent');
    assert.equal(await account(), undefined);
    assert.match(await answer(), /Key Agent 1\.0\.0/);
  });

  it('removes everything', async () => {
    await controller.act(key, 'install', noForm);
    await answer();
    await controller.act(key, 'remove', noForm);
    assert.equal(asked.at(-1), 'remove Key Agent, idle');
    assert.equal((await card()).group, 'others');
    await until('the backend is gone', () => registry.backends.length === 0);
    const left = await readdir(path.join(folder, 'agents'));
    assert.ok(!left.includes('key-agent'), left.join(', '));
  });
});
