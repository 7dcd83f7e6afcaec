import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import { agentReaperBundle } from '../../../../scripts/lib/bundles/agentReaper.mjs';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import { toPlatformKey } from '../../../../src/agents/common/install/platformKey';
import type { Distribution, RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import { AgentInstaller } from '../../../../src/agents/node/agentInstaller';
import type { Disposable } from '../../../../src/base/common/disposable';
import { realInstallPorts } from '../../../fake/agents/installPorts';
import { until } from '../../../support/eventually';
import { only } from '../../../support/only';
import { makeSmallDisk, withSmallDisk } from '../../../support/smallDisk';
import { makeCertificate, startTlsServer } from '../../context/support/tlsServer';
import { agentProgram, agentScript } from './support/agentScript';
import { makeTarGz } from './support/archives';
import { NpmRegistryServer } from './support/npmRegistry';
import { trustingFetch } from './support/trustingFetch';

const { signal } = new AbortController();
const quiet = { signal, onProgress: () => undefined };
const mebibyte = 1024 * 1024;

describe('an installation that is disturbed', () => {
  let root: string;
  let folder: string;
  let env: Record<string, string>;
  let npm: NpmRegistryServer;
  const opened: Disposable[] = [];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-faults-')));
    folder = path.join(root, 'agents');
    npm = new NpmRegistryServer();
    await npm.start();
    env = {
      HOME: root,
      PATH: process.env['PATH'] ?? '',
      npm_config_registry: `${npm.origin}/`,
      npm_config_userconfig: path.join(root, '.npmrc'),
      npm_config_cache: path.join(root, 'cache'),
    };
    await publish('1.0.0');
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) one.dispose();
    npm.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  });

  const publish = (version: string, more: Record<string, string> = {}): Promise<string> =>
    npm.publish({
      name: '@test/agent',
      version,
      files: { 'run.js': agentScript, ...more },
      manifest: { bin: { agent: 'run.js' } },
    });

  const agentOf = (version: string, distribution: Distribution): RegistryAgent => ({
    ...{ id: 'test-agent', name: 'Test Agent', version, description: 'x', authors: [] },
    distributions: [distribution],
  });
  const npmAgent = (version = '1.0.0'): RegistryAgent =>
    agentOf(version, { kind: 'npx', package: `@test/agent@${version}`, args: [], env: {} });

  async function start(ports: Partial<ReturnType<typeof realInstallPorts>> = {}): Promise<AgentInstaller> {
    const installer = new AgentInstaller({ folder, ports: { ...realInstallPorts(env), ...ports } });
    opened.push(installer);
    await installer.start();
    return installer;
  }

  const versions = (): Promise<string[]> => readdir(path.join(folder, 'test-agent'));
  const staged = (): Promise<string[]> => readdir(path.join(folder, '.staging'));
  const noise = (mebibytes: number): string => randomBytes(mebibytes * mebibyte).toString('base64');

  withSmallDisk.describe('by a disk that is full', () => {
    beforeEach(() => {
      folder = path.join(root, 'small');
      opened.push(makeSmallDisk(folder, 4));
    });

    it('keeps the npm package that is installed, leaves nothing, and works when there is room', async () => {
      const installer = await start();
      const old = await installer.install(npmAgent(), quiet);
      await publish('1.1.0', { 'large.txt': noise(6) });
      await assert.rejects(installer.install(npmAgent('1.1.0'), quiet), {
        code: 'diskFull',
        message: 'The disk is full.',
      });
      assert.deepEqual([installer.installed(), await versions(), await staged()], [[old], ['1.0.0'], []]);
      await publish('1.1.0');
      assert.equal((await installer.install(npmAgent('1.1.0'), quiet)).version, '1.1.0');
    });

    for (const [what, text] of [
      ['is downloaded', noise(6)],
      ['is unpacked', '0'.repeat(6 * mebibyte)],
    ] as const) {
      it(`leaves nothing of an archive that fills it while it ${what}`, async () => {
        const certificate = await makeCertificate();
        const archive = await makeTarGz([
          { name: 'agent', text: agentProgram, mode: 0o755 },
          { name: 'large.txt', text },
        ]);
        const server = await startTlsServer(certificate, (_request, response) => response.end(archive));
        opened.push({ dispose: () => server.close() });
        const installer = await start({ fetch: trustingFetch(certificate.cert) });
        const key = toPlatformKey(process.platform, process.arch) ?? 'linux-x86_64';
        const target = { archive: `${server.origin}/agent.tgz`, cmd: './agent', args: [], env: {} };
        const binary = agentOf('1.0.0', { kind: 'binary', targets: { [key]: target } });
        await assert.rejects(installer.install(binary, quiet), { code: 'diskFull', message: 'The disk is full.' });
        assert.deepEqual([installer.installed(), await staged()], [[], []]);
      });
    }
  });

  it('by a second window, which waits and then installs, leaves both with the same agent', async () => {
    const [first, second] = [await start(), await start()];
    const stages: string[] = [];
    const onProgress = ({ stage }: { readonly stage: string }): void => void stages.push(stage);
    await Promise.all([first.install(npmAgent(), quiet), second.install(npmAgent(), { signal, onProgress })]);
    assert.equal(stages[0], 'Waiting for another window that is installing an agent');
    await until('both windows list the one that is there', () => {
      const [one, other] = [first.installed(), second.installed()];
      return one.length === 1 && JSON.stringify(one) === JSON.stringify(other);
    });
    await second.removeUnusedVersions();
    assert.equal((await versions()).length, 1);
    assert.deepEqual(await staged(), []);
  });

  only('where a helper ends what a window leaves', process.platform !== 'win32').it(
    'by the death of its window ends npm, and the next window installs it',
    async () => {
      const programs = path.join(root, 'programs');
      await mkdir(programs);
      const bundle = { bundle: true, format: 'cjs', platform: 'node', logLevel: 'warning' } as const;
      const host = path.join(programs, 'installHost.js');
      await build({ ...bundle, entryPoints: ['test/fake/agents/installHost.ts'], outfile: host });
      await build({ ...agentReaperBundle(), outdir: programs, logLevel: 'warning' });
      const asked = Promise.withResolvers<undefined>();
      npm.fault = (_request, _response, tarball) => {
        if (tarball) asked.resolve(undefined);
        // Never answered: npm waits for it in mid-install.
        return tarball !== undefined;
      };
      const args = [host, folder, path.join(programs, 'agent-reaper.js'), '@test/agent@1.0.0'];
      const window = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      opened.push({ dispose: () => void window.kill('SIGKILL') });
      let printed = '';
      window.stdout.on('data', (chunk) => (printed += String(chunk)));
      await asked.promise;
      const group = Number(printed.trim().split('\n').at(-1));
      assert.ok(group > 1 && isProcessTreeAlive(group), printed);
      assert.equal((await staged()).length, 1);
      const exited = once(window, 'exit');
      window.kill('SIGKILL');
      await exited;
      await until('the end of npm', () => !isProcessTreeAlive(group));

      npm.fault = () => false;
      const next = await start();
      assert.deepEqual([next.installed(), await staged()], [[], []]);
      const stages: string[] = [];
      await next.install(npmAgent(), { signal, onProgress: ({ stage }) => stages.push(stage) });
      assert.ok(!stages.some((stage) => stage.startsWith('Waiting')), 'the lock of the dead window is taken over');
      assert.deepEqual(await versions(), ['1.0.0']);
    },
  );
});
