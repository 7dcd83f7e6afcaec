import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import type { InstallProgress } from '../../../../src/agents/common/install/agentInstall';
import { InstallError, type InstallErrorCode } from '../../../../src/agents/common/install/installError';
import type { RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import { AgentInstaller, type AgentInstallerOptions } from '../../../../src/agents/node/agentInstaller';
import type { InstallPorts } from '../../../../src/agents/node/installPorts';
import type { NpmRelease } from '../../../../src/agents/node/npm/npmPackage';
import { realInstallPorts } from '../../../fake/agents/installPorts';
import { until } from '../../../support/eventually';
import { agentScript } from './support/agentScript';
import { fakeNpm } from './support/fakeNpm';
import { NpmRegistryServer } from './support/npmRegistry';

const { signal } = new AbortController();

describe('installing npm packages', () => {
  let root: string;
  let folder: string;
  let registry: NpmRegistryServer;
  const installers: AgentInstaller[] = [];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-npx-')));
    folder = path.join(root, 'agents');
    await mkdir(path.join(root, 'home'));
    registry = new NpmRegistryServer();
    await registry.start();
    await publish('1.0.0');
  });
  afterEach(async () => {
    for (const installer of installers.splice(0)) installer.dispose();
    registry.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  });

  const publish = (version: string, files: Record<string, string> = { 'run.js': agentScript }, manifest = {}) =>
    registry.publish({ name: '@test/agent', version, files, manifest: { bin: { agent: 'run.js' }, ...manifest } });

  const agent = (version = '1.0.0'): RegistryAgent => ({
    ...{ id: 'test-agent', name: 'Test Agent', version, description: 'x', authors: [] },
    distributions: [{ kind: 'npx', package: `@test/agent@${version}`, args: ['--acp'], env: { MODE: 'test' } }],
  });

  function environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      HOME: path.join(root, 'home'),
      USERPROFILE: path.join(root, 'home'),
      SYSTEMROOT: process.env['SYSTEMROOT'] ?? '',
      PATH: process.env['PATH'] ?? '',
      npm_config_registry: `${registry.origin}/`,
      npm_config_userconfig: path.join(root, 'home', '.npmrc'),
      npm_config_cache: path.join(root, 'cache'),
      ...more,
    };
  }

  async function start(ports: Partial<InstallPorts> = {}, more: Partial<AgentInstallerOptions> = {}) {
    const installer = new AgentInstaller({ folder, ports: { ...realInstallPorts(environment()), ...ports }, ...more });
    installers.push(installer);
    await installer.start();
    return installer;
  }

  async function failureOf(work: Promise<unknown>): Promise<InstallError> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof InstallError, String(error));
    return error;
  }

  /** What is in the folder, but for the notes of windows. */
  async function contents(): Promise<string[]> {
    const names = (await readdir(folder)).filter((name) => !['.windows', '.npm'].includes(name));
    const staged = await readdir(path.join(folder, '.staging'));
    return [...names.filter((name) => name !== '.staging'), ...staged.map((name) => `.staging/${name}`)].sort();
  }

  async function assertFails(code: InstallErrorCode, more: Partial<AgentInstallerOptions> = {}, version = '1.0.0') {
    const installer = await start({}, more);
    const error = await failureOf(installer.install(agent(version), { signal, onProgress: () => undefined }));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, /^\S[^\n]*\.$/);
    assert.deepEqual(installer.installed(), []);
    assert.deepEqual(await contents(), []);
    return error;
  }

  it('says first what would be installed', async () => {
    const plan = await (await start()).plan(agent(), signal);
    assert.deepEqual(plan, {
      ...{ id: 'test-agent', name: 'Test Agent', version: '1.0.0', kind: 'npx' },
      terms: {
        ...{ kind: 'npx', source: '@test/agent', host: registry.origin, command: '', args: ['--acp'] },
        ...{ env: { MODE: 'test' }, license: 'MIT' },
      },
      address: `${registry.origin}/@test/agent/-/agent-1.0.0.tgz`,
      commandLine: 'MODE=test agent --acp',
    });
    assert.deepEqual(await contents(), []);
  });

  it('installs, tries and lists an agent, with its lockfile and without its install script', async () => {
    const manifest = { scripts: { postinstall: `node -e "require('fs').writeFileSync('ran', '')"` } };
    await publish('1.0.0', { 'run.js': agentScript }, manifest);
    const installer = await start();
    let changes = 0;
    installer.onDidChange(() => changes++);
    const progress: InstallProgress[] = [];
    const installed = await installer.install(agent(), { signal, onProgress: (step) => progress.push(step) });
    assert.equal(installed.folder, path.join(folder, 'test-agent', '1.0.0'));
    assert.equal(installed.args.at(-1), '--acp');
    assert.equal(installed.package, '@test/agent');
    assert.deepEqual(installed.env, { MODE: 'test' });
    assert.ok(installed.bytes > 500);
    assert.deepEqual(installer.installed(), [installed]);
    assert.equal(changes, 1);
    const lock = await readFile(path.join(installed.folder, 'package-lock.json'), 'utf8');
    assert.match(lock, /"integrity": "sha512-/);
    await assert.rejects(access(path.join(installed.folder, 'node_modules/@test/agent/ran')));
    assert.deepEqual(await contents(), ['installed.json', 'test-agent']);
    const stages = progress.map(({ stage }) => stage);
    assert.deepEqual(
      [...new Set(stages)],
      [
        ...[
          'Looking up the package',
          'Downloading and unpacking',
          'Starting the agent to check that it works',
          'Finishing',
        ],
      ],
    );
    await realInstallPorts(environment()).tryAgent(installed, signal);
  });

  it('installs only what the user has agreed to, and keeps that with the version', async () => {
    const installer = await start();
    const plan = await installer.plan(agent(), signal);
    assert.ok(plan.problem === undefined);
    const { terms } = plan;
    const options = { signal, onProgress: () => undefined };
    for (const other of [{ source: '@eve/agent' }, { env: { MODE: 'other' } }, { args: [] }]) {
      const error = await failureOf(installer.install(agent(), { ...options, agreed: { ...terms, ...other } }));
      assert.equal(error.code, 'termsChanged');
    }
    assert.deepEqual(installer.installed(), []);
    const installed = await installer.install(agent(), { ...options, agreed: terms });
    assert.deepEqual(installed.terms, terms);
    assert.deepEqual((await start()).installed()[0]?.terms, terms);
    const file = path.join(installed.folder, 'backline-agent.json');
    const older = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(file, 'utf8')));
    delete older['terms'];
    await writeFile(file, JSON.stringify(older));
    const { args, env, kind, source } = terms;
    assert.deepEqual((await start()).installed()[0]?.terms, { args, env, kind, source, command: '' });
  });

  it('installs, updates and removes, and reports how much that freed', async () => {
    const installer = await start();
    await installer.install(agent(), { signal, onProgress: () => undefined });
    await Promise.all([
      installer.changeAccounts('test-agent', () => ['Work'], { signal, onProgress: () => undefined }),
      publish('1.1.0'),
    ]);
    const updated = await installer.install(agent('1.1.0'), { signal, onProgress: () => undefined });
    assert.deepEqual([updated.version, updated.accounts], ['1.1.0', ['Work']]);
    await until('the old version is gone', async () => (await readdir(path.join(folder, 'test-agent'))).length === 1);
    const { bytes } = await installer.remove('test-agent', { signal, onProgress: () => undefined });
    assert.ok(bytes >= updated.bytes);
    assert.deepEqual(installer.installed(), []);
    assert.deepEqual(await contents(), ['installed.json']);
  });

  it('keeps a version that runs until it is stopped', async () => {
    const running = new Set<string>();
    const installer = await start({ isInUse: (used) => running.has(used) });
    const old = await installer.install(agent(), { signal, onProgress: () => undefined });
    running.add(old.folder);
    await publish('1.1.0');
    await installer.install(agent('1.1.0'), { signal, onProgress: () => undefined });
    await installer.removeUnusedVersions();
    await access(old.command);
    await access(path.join(old.folder, 'package.json'));
    running.clear();
    await installer.removeUnusedVersions();
    assert.deepEqual(await readdir(path.join(folder, 'test-agent')), ['1.1.0']);
  });

  it('keeps the old version if the new one does not start', async () => {
    const installer = await start();
    const old = await installer.install(agent(), { signal, onProgress: () => undefined });
    await publish('1.1.0', { 'run.js': 'console.error("It lacks a library."); process.exit(3);' });
    const error = await failureOf(installer.install(agent('1.1.0'), { signal, onProgress: () => undefined }));
    assert.equal(error.code, 'doesNotStart');
    assert.match(error.message, /did not start, so it was not installed: .*It lacks a library\./);
    assert.deepEqual(installer.installed(), [old]);
    assert.deepEqual(await readdir(path.join(folder, 'test-agent')), ['1.0.0']);
    await realInstallPorts(environment()).tryAgent(old, signal);
  });

  it('installs the same version again beside the one that is there', async () => {
    const installer = await start({ isInUse: () => true });
    await installer.install(agent(), { signal, onProgress: () => undefined });
    const again = await installer.install(agent(), { signal, onProgress: () => undefined });
    assert.equal(path.basename(again.folder), '1.0.0_2');
    assert.deepEqual(installer.installed(), [again]);
  });

  it('has nothing left of an agent that never answers', async () => {
    await publish('1.0.0', { 'run.js': 'process.stdin.resume(); setInterval(() => {}, 1000);' });
    const tryAgent: InstallPorts['tryAgent'] = (command, late) =>
      new Promise((_resolve, reject) => late.addEventListener('abort', () => reject(new Error(command.command))));
    const installer = await start({ tryAgent }, { tryMs: 50 });
    const error = await failureOf(installer.install(agent(), { signal, onProgress: () => undefined }));
    assert.equal(error.code, 'doesNotStart');
    assert.deepEqual(await contents(), []);
  });

  it('refuses a package without a command', async () => {
    await publish('1.0.0', { 'index.js': '' }, { bin: {} });
    await assertFails('doesNotStart');
  });

  it('says before it installs that the agent needs a newer Node.js', async () => {
    await publish('1.0.0', { 'run.js': agentScript }, { engines: { node: '>=99' } });
    const installer = await start();
    const plan = await installer.plan(agent(), signal);
    assert.ok(plan.problem !== undefined);
    assert.match(plan.problem, /^It needs Node\.js >=99\. Found: .*VS Code’s \d+\.\d+\.\d+\.$/);
    assert.match(plan.advice ?? '', /Install a current Node\.js/);
    assert.ok(!registry.requests.some((url) => url.endsWith('.tgz')));
    await assertFails('nodeTooOld');
  });

  it('runs it with VS Code’s own Node.js if the one on PATH is too old', async () => {
    await publish('1.0.0', { 'run.js': agentScript }, { engines: { node: `>=${process.versions.node}` } });
    const ports = realInstallPorts(environment());
    const old = path.join(root, 'old-node.mjs');
    const answer = JSON.stringify({ file: '/opt/old/node', version: '20.1.0' });
    await writeFile(old, `console.log(${JSON.stringify(answer)});`);
    const findProgram: InstallPorts['findProgram'] = (name, env) =>
      name === 'node' ? Promise.resolve({ file: process.execPath, args: [old] }) : ports.findProgram(name, env);
    const installed = await (await start({ findProgram })).install(agent(), { signal, onProgress: () => undefined });
    assert.equal(installed.command, process.execPath);
    assert.deepEqual(installed.env, { MODE: 'test', ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' });
  });

  it('reports that the registry does not have it', async () => {
    const error = await assertFails('notFound', {}, '9.9.9');
    assert.match(error.message, /@test\/agent@9\.9\.9/);
  });

  it('reports that nobody is there', async () => {
    registry.stop();
    await assertFails('offline');
  });

  it('reports that the registry has an error', async () => {
    registry.fault = (_request, response) => {
      response.writeHead(500).end('no');
      return true;
    };
    await assertFails('serverError');
  });

  it('refuses what is not what was published', async () => {
    registry.fault = (_request, response, tarball) => {
      if (tarball) response.end(Buffer.concat([tarball, Buffer.from('x')]));
      return tarball !== undefined;
    };
    await assertFails('integrity');
  });

  for (const percent of [10, 50, 99]) {
    it(`leaves nothing when the connection is cut at ${percent} %`, async () => {
      registry.fault = (_request, response, tarball) => {
        if (!tarball) return false;
        response.setHeader('content-length', tarball.length);
        response.write(tarball.subarray(0, Math.floor((tarball.length * percent) / 100)), () => response.destroy());
        return true;
      };
      const installer = await start();
      const error = await failureOf(installer.install(agent(), { signal, onProgress: () => undefined }));
      assert.ok(['connectionLost', 'integrity', 'offline'].includes(error.code), `${error.code}: ${error.message}`);
      assert.deepEqual(await contents(), []);
    });
  }

  it('does not wait for a server that stops sending', async () => {
    registry.fault = (_request, response, tarball) => {
      if (tarball) response.write(tarball.subarray(0, 10));
      return tarball !== undefined;
    };
    await assertFails('stalled', { silenceMs: 1_000 });
  });

  it('leaves nothing when the user cancels, and ends npm with all its processes', async () => {
    const controller = new AbortController();
    registry.fault = (_request, _response, tarball) => tarball !== undefined;
    const ended: number[] = [];
    const ports = realInstallPorts(environment());
    const endProcessTree = async (pid: number): Promise<void> => {
      ended.push(pid);
      await ports.endProcessTree(pid);
    };
    const installer = await start({ endProcessTree });
    const code = failureOf(installer.install(agent(), { signal: controller.signal, onProgress: () => undefined }));
    await until('npm downloads', () => registry.requests.some((url) => url.endsWith('.tgz')));
    controller.abort();
    assert.equal((await code).code, 'cancelled');
    assert.equal(ended.length, 1);
    assert.throws(() => process.kill(ended[0] ?? 0, 0));
    assert.deepEqual(await contents(), []);
  });

  it('uses the user’s configuration of npm, and shows no token of it', async () => {
    const lines = [`registry=${registry.origin}/`, `//${new URL(registry.origin).host}/:_authToken=secret-token`];
    // These would leave out programs for this system, the lockfile, or everything.
    lines.push('omit=optional', 'package-lock=false', 'dry-run=true', 'global=true', 'ignore-scripts=false');
    await writeFile(path.join(root, 'home', '.npmrc'), lines.join('\n'));
    const env = environment();
    delete env['npm_config_registry'];
    const installer = await start({ ...realInstallPorts(env) });
    const installed = await installer.install(agent(), { signal, onProgress: () => undefined });
    assert.deepEqual([...registry.authorizations], ['Bearer secret-token']);
    const files = await readdir(installed.folder);
    assert.ok(files.includes('package-lock.json'));
    assert.ok(!(await readFile(path.join(installed.folder, 'package-lock.json'), 'utf8')).includes('secret-token'));
  });

  it('reports that a proxy wants authentication', async () => {
    const proxy = createServer((_request, response) => response.writeHead(407).end('no'));
    proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const { port } = z.object({ port: z.number() }).parse(proxy.address());
      const more = {
        npm_config_registry: 'https://registry.example/',
        npm_config_https_proxy: `http://127.0.0.1:${port}`,
      };
      const installer = await start(realInstallPorts(environment(more)));
      const plan = await installer.plan(agent(), signal);
      assert.equal(plan.problem, 'The proxy requires you to sign in.');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  describe('with neither node nor npm on PATH', () => {
    let release: NpmRelease;
    beforeEach(async () => {
      const sha512Base64 = await registry.publish({
        ...{ name: 'npm', version: '11.0.0', files: { 'bin/npm-cli.js': fakeNpm } },
      });
      release = { version: '11.0.0', sha512Base64, nodeRange: '>=20' };
    });

    const emptyHanded = (more: Record<string, string> = {}): InstallPorts =>
      realInstallPorts(environment({ PATH: path.join(root, 'nothing'), ...more }));

    it('loads npm’s client once, and runs it and the agent with VS Code’s own Node.js', async () => {
      const installer = await start(emptyHanded(), { npm: release });
      const stages = new Set<string>();
      const installed = await installer.install(agent(), { signal, onProgress: ({ stage }) => stages.add(stage) });
      assert.ok(stages.has('Downloading npm'));
      assert.equal(installed.command, process.execPath);
      assert.equal(installed.env['ELECTRON_RUN_AS_NODE'], '1');
      const manifest = await readFile(path.join(installed.folder, 'node_modules/@test/agent/package.json'), 'utf8');
      for (const flag of ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--save-exact'])
        assert.ok(manifest.includes(`"${flag}"`), flag);
      await installer.install(agent(), { signal, onProgress: () => undefined });
      assert.deepEqual(
        registry.requests.filter((url) => url.startsWith('npm/')),
        ['npm/-/npm-11.0.0.tgz'],
      );
      assert.deepEqual(await readdir(path.join(folder, '.npm')), ['11.0.0']);
    });

    it('refuses a client of npm that is not the one that Backline knows', async () => {
      const other = { ...release, sha512Base64: Buffer.alloc(64).toString('base64') };
      const installer = await start(emptyHanded(), { npm: other });
      const error = await failureOf(installer.install(agent(), { signal, onProgress: () => undefined }));
      assert.equal(error.code, 'integrity');
      assert.deepEqual(await contents(), []);
      await assert.rejects(access(path.join(folder, '.npm')));
    });

    it('gives the user’s token to the registry when it loads npm', async () => {
      const host = new URL(registry.origin).host;
      await writeFile(path.join(root, 'home', '.npmrc'), `//${host}/:_authToken=secret-token`);
      const installer = await start(emptyHanded(), { npm: release });
      assert.equal((await installer.plan(agent(), signal)).problem, undefined);
      assert.deepEqual([...registry.authorizations], ['Bearer secret-token']);
    });

    it('says so if the editor’s Node.js is too old for npm', async () => {
      const installer = await start(emptyHanded(), { npm: { ...release, nodeRange: '>=99' } });
      const plan = await installer.plan(agent(), signal);
      assert.match(plan.problem ?? '', /^npm needs Node\.js >=99\. Found: /);
    });

    it('has no agent whose node is gone: VS Code’s takes its place', async () => {
      const gone = path.join(root, 'gone');
      const ports = realInstallPorts(environment());
      const installer = await start({ ...ports });
      const installed = await installer.install(agent(), { signal, onProgress: () => undefined });
      const file = path.join(installed.folder, 'backline-agent.json');
      const text = await readFile(file, 'utf8');
      assert.ok(text.includes('"source": "path"'));
      await writeFile(file, text.replace(/"file": "[^"]+"/, `"file": ${JSON.stringify(gone)}`));
      const [again] = (await start({ ...ports })).installed();
      assert.deepEqual([again?.command, again?.env['ELECTRON_RUN_AS_NODE']], [process.execPath, '1']);
    });
  });
});
