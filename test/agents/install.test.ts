// Installs the real agents of a registry document on loopback from the real npm registry, each to a first answer of the
// scripted model: `npm run test:agents -- install`.
import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { loadAgentCatalogue } from '../../src/acp/node/catalogue/agentCatalogue';
import { diskCommandFileAccess } from '../../src/acp/node/process/commandLookup';
import type { InstalledAgent } from '../../src/agents/common/install/agentInstall';
import { AgentInstaller } from '../../src/agents/node/agentInstaller';
import { RegistryStore } from '../../src/agents/node/registryStore';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import snapshot from '../../src/agents/common/registry/snapshot.json';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { realInstallPorts } from '../fake/agents/installPorts';
import { launcherIn } from './support/agentLaunch';
import { ModelServer } from './support/modelServer';
import { realAgents, type RealAgent } from './support/realAgents';

const answer = 'Hello from the scripted model.';
const answerTimeoutMs = 120_000;
const { signal } = new AbortController();
const Address = z.object({ port: z.number() });

describe('installing real agents', function () {
  this.timeout(600_000);
  let root: string;
  let server: Server;
  let store: RegistryStore;
  let model: ModelServer;

  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-install-')));
    server = createServer((_request, response) => response.end(JSON.stringify(snapshot)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = Address.parse(server.address());
    const address = (): string => `http://127.0.0.1:${port}/registry.json`;
    const options = { address, folder: path.join(root, 'registry'), bundledRegistry: { agents: [] } };
    store = new RegistryStore({ ...options, fetch, clock: systemClock, log: nullLogger });
    await store.refresh(signal);
    assert.deepEqual(store.registryState().origin, 'registry');
    model = new ModelServer(() => ({ say: answer }));
  });

  after(async () => {
    server.close();
    store.dispose();
    await model.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  let modelAddress: string | undefined;

  /** The environment of a login shell with a PATH that is empty, or that has the usual programs with node and npm. */
  async function environment(agent: RealAgent, home: string, withNode: boolean): Promise<Record<string, string>> {
    const { NODE_EXTRA_CA_CERTS: certificates = '' } = process.env;
    await mkdir(path.join(home, 'work'), { recursive: true });
    modelAddress ??= await model.start();
    const places = withNode
      ? [path.dirname(process.execPath), ...(process.env['PATH'] ?? '').split(path.delimiter)]
      : [path.join(root, 'empty')];
    return {
      HOME: home,
      // The real configuration of npm says where the registry is.
      npm_config_userconfig: path.join(homedir(), '.npmrc'),
      npm_config_cache: path.join(root, 'npm-cache'),
      PATH: places.join(path.delimiter),
      ...(certificates === '' ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
      ...(await agent.configure(home, modelAddress)),
    };
  }

  async function ask(installed: InstalledAgent, home: string, env: Record<string, string>): Promise<string> {
    const folder = path.join(home, 'work');
    const { agents } = await loadAgentCatalogue({
      platform: process.platform,
      levels: [],
      installed: [installed],
      env,
      cwd: folder,
      files: diskCommandFileAccess,
      demo: { execPath: process.execPath, script: 'demo.js' },
    });
    const entry = agents.find(({ source }) => source === 'installed');
    assert.ok(entry && entry.problem === undefined, JSON.stringify(entry?.problem));
    const launcher = launcherIn({ home, folder, env }, { editor: new FakeEditor({}, [folder]) });
    const backend = launcher.createBackend(entry);
    try {
      const session = await backend.createSession({ cwd: folder });
      const follower = new Follower(session, answerTimeoutMs);
      await session.sendPrompt({ text: 'Hello?' });
      const { response } = await follower.next('prompt:complete');
      await session.close();
      return response;
    } finally {
      await backend.stop();
      backend.dispose();
    }
  }

  for (const withNode of [true, false]) {
    describe(withNode ? 'with node and npm on PATH' : 'with nothing on PATH', () => {
      for (const agent of realAgents) {
        it(`gets from ${agent.registryId} in the registry to an answer, and removes it`, async () => {
          const listed = store.registryState().agents.find(({ id }) => id === agent.registryId);
          assert.ok(listed);
          const home = path.join(root, `home-${agent.id}-${withNode ? 'with' : 'without'}`);
          const env = await environment(agent, home, withNode);
          const folder = path.join(root, withNode ? 'with' : 'without');
          const installer = new AgentInstaller({ folder, ports: realInstallPorts(env) });
          try {
            await installer.start();
            const started = performance.now();
            const plan = await installer.plan(listed, signal);
            assert.equal(plan.problem, undefined, plan.problem);
            const installed = await installer.install(listed, { signal, onProgress: () => undefined });
            const installedAt = performance.now();
            await access(path.join(installed.folder, 'package-lock.json'));
            assert.equal(installed.env['ELECTRON_RUN_AS_NODE'] === '1', !withNode && isNode(installed.command));
            assert.match(await ask(installed, home, env), new RegExp(answer));
            const [install, first] = [installedAt - started, performance.now() - installedAt].map(seconds);
            const mebibytes = Math.round(installed.bytes / 1_048_576);
            console.log(`      ${plan.address}: ${mebibytes} MiB, installed in ${install}, answered in ${first}`);
            assert.deepEqual(await readdir(path.join(folder, '.staging')), []);
            assert.ok(
              (
                await installer.remove(agent.registryId, {
                  signal: AbortSignal.timeout(60_000),
                  onProgress: () => undefined,
                })
              ).bytes >= installed.bytes,
            );
            assert.deepEqual(installer.installed(), []);
            assert.ok(!(await readdir(folder)).includes(agent.registryId));
          } finally {
            installer.dispose();
          }
        });
      }
    });
  }
});

const isNode = (command: string): boolean => command === process.execPath;
const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;
