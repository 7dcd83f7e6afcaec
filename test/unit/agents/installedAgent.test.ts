import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { loadAgentCatalogue } from '../../../src/acp/node/catalogue/agentCatalogue';
import { AgentLauncher } from '../../../src/acp/node/catalogue/agentLauncher';
import { AgentBackendRegistry } from '../../../src/acp/node/catalogue/agentBackendRegistry';
import { diskCommandFileAccess } from '../../../src/acp/node/process/commandLookup';
import { AgentManager } from '../../../src/agents/common/agentManager';
import { InstallConsents } from '../../../src/agents/common/terms/installConsents';
import { AgentInstaller } from '../../../src/agents/node/agentInstaller';
import { RegistryStore } from '../../../src/agents/node/registryStore';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { answeringConsent } from '../../fake/answeringConsent';
import { Follower } from '../../fake/backendHarness';
import { FakeAgentBackends } from '../../fake/acp/fakeAgents';
import { FakeEditor } from '../../fake/fakeEditor';
import { standingOf } from '../../fake/fakePermissions';
import { realInstallPorts } from '../../fake/agents/installPorts';
import { MemoryMemento } from '../../fake/memoryMemento';
import { NpmRegistry } from '../../fake/agents/npmRegistry';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

describe('an agent of the registry', () => {
  it('is installed with npm, becomes a backend and answers a prompt with its key', async () => {
    const npm = await NpmRegistry.start();
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-agents-'));
    try {
      const program = await readFile('test/fixtures/agents/keyAgent.mjs', 'utf8');
      const files = { 'agent.mjs': program.replace('__VERSION__', '1.0.0') };
      await npm.publish({ name: 'key-agent', version: '1.0.0', files, bin: { 'key-agent': 'agent.mjs' } });
      const distribution = { npx: { package: 'key-agent@1.0.0' } };
      const description = 'An agent of the tests';
      const agent = {
        id: 'key-agent',
        name: 'Key Agent',
        version: '1.0.0',
        description,
        authors: ['Ada'],
        distribution,
      };
      npm.agents = { version: '1.0.0', agents: [agent] };
      await writeFile(path.join(folder, '.npmrc'), `registry=${npm.origin}/\n`);
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, USERPROFILE: folder };
      const ports = realInstallPorts(env);
      const registry = new RegistryStore({
        address: () => npm.agentsAddress,
        folder: path.join(folder, 'agents'),
        bundledRegistry: { version: '1.0.0', agents: [] },
        fetch: ports.fetch,
        clock: systemClock,
        log: nullLogger,
      });
      const installer = new AgentInstaller({ folder: path.join(folder, 'agents'), ports });
      const asked: string[] = [];
      const manager = new AgentManager({
        registry,
        installer,
        backends: new FakeAgentBackends(),
        questions: {
          confirmInstall: ({ address, name }) => {
            asked.push(`${name} from ${new URL(address).origin}`);
            return Promise.resolve(true);
          },
          confirmRemove: () => Promise.resolve(true),
          askAccount: () => Promise.resolve(undefined),
          confirmRemoveAccount: () => Promise.resolve(false),
        },
        consents: new InstallConsents(new MemoryMemento()),
        deleteKeys: () => Promise.resolve(),
        ownIds: () => new Set(),
        isTrusted: () => true,
        platform: undefined,
        log: nullLogger,
      });
      manager.start();
      await installer.start();
      await manager.refreshRegistry();
      const [listed] = registry.registryState().agents;
      assert.ok(listed);
      await manager.install(listed);
      assert.deepEqual([...(await manager.situation()).jobs], []);
      assert.deepEqual(asked, [`Key Agent from ${npm.origin}`]);

      const agentConsent = {
        consent: answeringConsent('denied'),
        places: () => ({ cwd: folder, folders: [folder] }),
      };
      const launcher = new AgentLauncher({
        clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
        editor: new FakeEditor({}, [folder]),
        clock: systemClock,
        http: new OutgoingHttp(),
        log: nullLogger,
        tap: disabledTrafficTap,
        standing: standingOf(),
        environment: env,
        defaultFolder: () => folder,
        isTrusted: () => true,
        agentConsent,
        createId: randomUUID,
        random: Math.random,
        elicit: () => Promise.resolve({ action: 'decline' }),
        runInTerminal: () => Promise.resolve(false),
        keysOf: (id) => Promise.resolve(id === 'key-agent' ? { FAKE_API_KEY: 'abcd' } : {}),
      });
      const backends = new AgentBackendRegistry({
        loadCatalogue: () =>
          loadAgentCatalogue({
            platform: process.platform,
            levels: [],
            installed: installer.installed(),
            env,
            cwd: folder,
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
      const backend = await backends.open('key-agent');
      const session = await backend.createSession({ cwd: folder });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'Hello?' });
      await follower.next('prompt:complete');
      assert.match(JSON.stringify(follower.events), /Key Agent 1\.0\.0 says hello with a key of 4 letters/);
      await session.close();
      await backends.stopAll();
      backends.dispose();
      assert.match((await manager.remove('key-agent')) ?? '', /^Removed Key Agent: .* freed\.$/);
      assert.deepEqual(installer.installed(), []);
      await manager.stop();
      for (const part of [manager, installer, registry]) part.dispose();
    } finally {
      await npm.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
