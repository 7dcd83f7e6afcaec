import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { AgentInstaller } from '../../src/agents/node/agentInstaller';
import { RegistryStore } from '../../src/agents/node/registryStore';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import snapshot from '../../src/agents/common/registry/snapshot.json';
import { realInstallPorts } from '../fake/installPorts';

/** Real packages of the real npm registry, which need about 2 GB while they are tested. */
const ids = ['claude-acp', 'codex-acp', 'gemini', 'opencode', 'github-copilot-cli'];
const { signal } = new AbortController();
const Address = z.object({ port: z.number() });

describe('installing real agents', () => {
  let root: string;
  let server: Server;
  let store: RegistryStore;

  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-soak-install-')));
    server = createServer((_request, response) => response.end(JSON.stringify(snapshot)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = Address.parse(server.address());
    const address = (): string => `http://127.0.0.1:${port}/registry.json`;
    const options = { address, folder: path.join(root, 'registry'), snapshot: { agents: [] } };
    store = new RegistryStore({ ...options, fetch, clock: systemClock, log: nullLogger });
    await store.refresh(signal);
    assert.deepEqual(store.agents().origin, 'registry');
  });

  after(async () => {
    server.close();
    store.dispose();
    await rm(root, { recursive: true, force: true });
  });

  /** A PATH with the usual programs and, if asked for, node and npm. */
  async function environment(withNode: boolean): Promise<Record<string, string>> {
    const { NODE_EXTRA_CA_CERTS: certificates = '' } = process.env;
    const home = path.join(root, withNode ? 'home' : 'home without node');
    await mkdir(home, { recursive: true });
    const folder = path.join(root, 'bin');
    await mkdir(folder, { recursive: true });
    const places = withNode
      ? [path.dirname(process.execPath), ...(process.env['PATH'] ?? '').split(path.delimiter)]
      : [];
    return {
      HOME: home,
      // The real configuration of npm says where the registry is.
      npm_config_userconfig: path.join(homedir(), '.npmrc'),
      PATH: [...places, ...(withNode ? [] : [folder])].join(path.delimiter),
      ...(certificates === '' ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    };
  }

  for (const withNode of [true, false]) {
    describe(withNode ? 'with node and npm on PATH' : 'with nothing on PATH', () => {
      for (const id of ids) {
        it(`starts ${id}`, async () => {
          const agent = store.agents().agents.find((listed) => listed.id === id);
          assert.ok(agent);
          const ports = realInstallPorts(await environment(withNode));
          const folder = path.join(root, withNode ? 'with' : 'without');
          const installer = new AgentInstaller({ folder, ports });
          try {
            await installer.start();
            const started = performance.now();
            const plan = await installer.plan(agent, signal);
            assert.equal(plan.problem, undefined, plan.problem);
            const stages: string[] = [];
            const installed = await installer.install(agent, {
              signal,
              onProgress: ({ stage }) => {
                if (stages.at(-1) !== stage) stages.push(stage);
              },
            });
            await ports.tryAgent(installed, signal);
            const seconds = ((performance.now() - started) / 1000).toFixed(1);
            const megabytes = Math.round(installed.bytes / 1_048_576);
            console.log(`      ${plan.commandLine}: ${installed.command} ${installed.args.join(' ')}`);
            console.log(`      ${megabytes} MB, ${seconds} s: ${stages.join(', ')}`);
            await access(path.join(installed.folder, 'package-lock.json'));
            assert.deepEqual(await readdir(path.join(folder, '.staging')), []);
            assert.ok((await installer.remove(id)).bytes >= installed.bytes);
            assert.deepEqual(installer.installed(), []);
          } finally {
            installer.dispose();
          }
        });
      }
    });
  }
});
