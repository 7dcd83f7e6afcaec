import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { InstallError, type InstallErrorCode } from '../../../../src/agents/common/install/installError';
import { toPlatformKey } from '../../../../src/agents/common/install/platformKey';
import type { BinaryTarget, RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import { AgentInstaller, type AgentInstallerOptions } from '../../../../src/agents/node/agentInstaller';
import type { InstallPorts } from '../../../../src/agents/node/installPorts';
import { realInstallPorts } from '../../../fake/agents/installPorts';
import { only } from '../../../support/only';
import { makeCertificate, startTlsServer, type Certificate, type TlsServer } from '../../context/support/tlsServer';
import { agentProgram } from './support/agentScript';
import { makeTarGz, makeZip } from './support/archives';
import { trustingFetch } from './support/trustingFetch';

const key = toPlatformKey(process.platform, process.arch) ?? 'linux-x86_64';
const env = { PATH: process.env['PATH'] ?? '', HOME: tmpdir() };
const { signal } = new AbortController();
/** `dist/agent`, a shell script that answers `initialize`, by GNU tar and bzip2. */
const bzip2 =
  'QlpoOTFBWSZTWeaf1TIAAJ9b0MyQfhf3lwEOfvXfCgAIBAAACDAAumhpNU9NTJ5JtRpo0DE00ZlAaaNCKGSZoamMkwamEwCYAT1BpIDQEMAIyaaMAamE06oNyoYAgF1QCBCFCsZhI0wuCBAwLLpwL8UYn7Own6gFNiuuwL3xXNTdmsk42/b58qCKZAInm9BC1LhqbZI+tBqiUQRKIzp2MYpvmbI534GKmUd4YjwfB09fASsWi6HCoRyfvJ+CAgO0AwQYn/ZEgcaoKwQaxPeCmApuzCjiKVlLb0ClslRoSeKo6ZxSdF/OoiID+LuSKcKEhzT+qZA=';

only('where scripts start by themselves', process.platform !== 'win32').describe('installing archives', () => {
  let certificate: Certificate;
  let server: TlsServer;
  let root: string;
  let folder: string;
  let installer: AgentInstaller;
  let respond: (path: string, response: ServerResponse) => void;
  const files = new Map<string, Buffer>();

  before(async () => {
    certificate = await makeCertificate();
    const program = { name: './dist/agent', text: agentProgram, mode: 0o755 };
    files.set('/agent.zip', makeZip([{ ...program, name: 'dist/agent' }]));
    files.set('/agent.tar.gz', await makeTarGz([program]));
    files.set('/agent.tgz', await makeTarGz([program]));
    files.set('/agent.tar.bz2', Buffer.from(bzip2, 'base64'));
    files.set('/agent.tbz2', Buffer.from(bzip2, 'base64'));
    files.set('/agent', Buffer.from(agentProgram));
    files.set(
      '/broken.zip',
      makeZip([{ name: 'dist/agent', text: '#!/bin/sh\necho It lacks a library. >&2; exit 3\n' }]),
    );
    files.set(
      '/evil.zip',
      makeZip([
        { name: 'dist/agent', text: agentProgram },
        { name: 'a', type: 'symlink', text: '/' },
      ]),
    );
    files.set('/evil.tgz', await makeTarGz([program, { name: '../../evil', text: 'x' }]));
    files.set('/bomb.tgz', await makeTarGz([program, { name: 'bomb', text: '0'.repeat(3_000_000) }]));
  });
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-binary-')));
    folder = path.join(root, 'agents');
    respond = (name, response) => {
      const file = files.get(name);
      if (file) response.setHeader('content-length', file.length).end(file);
      else response.writeHead(404).end('<html>no</html>');
    };
    server = await startTlsServer(certificate, (request, response) => respond(request.url ?? '', response));
    installer = await start();
  });
  afterEach(async () => {
    installer.dispose();
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  async function start(more: Partial<AgentInstallerOptions> = {}, ports: Partial<InstallPorts> = {}) {
    const fetch = trustingFetch(certificate.cert);
    const made = new AgentInstaller({ folder, ports: { ...realInstallPorts(env), fetch, ...ports }, ...more });
    await made.start();
    return made;
  }

  function agent(name: string, more: Partial<BinaryTarget> = {}): RegistryAgent {
    const archive = name.includes(':') ? name : `${server.origin}${name}`;
    const target = { archive, cmd: './dist/agent', args: ['acp'], env: {}, ...more };
    return {
      ...{ id: 'binary', name: 'Binary', version: '2026.10.01', description: 'x', authors: [], license: 'MIT' },
      distributions: [{ kind: 'binary', targets: { [key]: target } }],
    };
  }

  async function assertFails(work: Promise<unknown>, code: InstallErrorCode): Promise<void> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof InstallError, String(error));
    assert.equal(error.code, code, error.message);
    assert.deepEqual(await readdir(path.join(folder, '.staging')), []);
    assert.deepEqual((await readdir(folder)).toSorted(), ['.staging', '.windows']);
    assert.deepEqual(await readdir(root), ['agents']);
  }

  const install = (listed: RegistryAgent, stop = signal) =>
    installer.install(listed, { signal: stop, onProgress: () => undefined });

  for (const name of ['/agent.zip', '/agent.tar.gz', '/agent.tgz', '/agent.tar.bz2', '/agent.tbz2', '/agent']) {
    it(`installs and starts ${name}`, async () => {
      const fractions: number[] = [];
      const sha256 = createHash('sha256')
        .update(files.get(name) ?? '')
        .digest('hex');
      const plan = await installer.plan(agent(name), signal);
      assert.deepEqual(plan, {
        ...{ id: 'binary', name: 'Binary', version: '2026.10.01', kind: 'binary' },
        terms: {
          ...{ kind: 'binary', source: server.origin, host: server.origin, command: './dist/agent', args: ['acp'] },
          ...{ env: {}, license: 'MIT' },
        },
        ...{ address: `${server.origin}${name}`, commandLine: 'agent acp', bytes: files.get(name)?.length },
      });
      const installed = await installer.install(agent(name, { sha256 }), {
        signal,
        onProgress: ({ fraction }) => {
          if (fraction !== undefined) fractions.push(fraction);
        },
      });
      assert.equal(installed.command, path.join(folder, 'binary/2026.10.01/program/dist/agent'));
      assert.equal((await stat(installed.command)).mode & 0o777, 0o755);
      assert.equal(fractions.at(-1), 1);
      assert.deepEqual((await readdir(installed.folder)).toSorted(), ['backline-agent.json', 'program']);
      await realInstallPorts(env).tryAgent(installed, signal);
    });
  }

  it('follows redirects to https only', async () => {
    const plain = respond;
    let to = '/agent.zip';
    respond = (name, response) => {
      if (name === '/moved.zip') response.writeHead(302, { location: to }).end();
      else plain(name, response);
    };
    await install(agent('/moved.zip'));
    await installer.remove('binary', { signal, onProgress: () => undefined });
    await rm(path.join(folder, 'installed.json'));
    for (to of ['http://example.com/agent.zip', 'http://127.0.0.1:1/agent.zip'])
      await assertFails(install(agent('/moved.zip')), 'insecureAddress');
  });

  it('refuses addresses without https, even of this machine', async () => {
    await assertFails(install(agent('http://example.com/agent.zip')), 'insecureAddress');
    await assertFails(install(agent('http://127.0.0.1:1/agent.zip')), 'insecureAddress');
  });

  it('refuses a certificate that nobody vouches for', async () => {
    installer.dispose();
    installer = await start({}, { fetch });
    await assertFails(install(agent('/agent.zip')), 'certificate');
  });

  it('refuses an archive with another hash', async () => {
    await assertFails(install(agent('/agent.zip', { sha256: '0'.repeat(64) })), 'integrity');
  });

  it('refuses links, paths upwards and bombs', async () => {
    await assertFails(install(agent('/evil.zip')), 'archiveUnsafe');
    await assertFails(install(agent('/evil.tgz')), 'archiveUnsafe');
    installer.dispose();
    installer = await start({ archiveLimits: { maxEntries: 10, maxBytes: 1_000_000 } });
    await assertFails(install(agent('/bomb.tgz')), 'archiveUnsafe');
  });

  it('refuses a program outside of the archive, or that is not in it', async () => {
    await assertFails(install(agent('/agent.zip', { cmd: '../../bin/sh' })), 'notSupportedHere');
    await assertFails(install(agent('/agent.zip', { cmd: '/bin/sh' })), 'notSupportedHere');
    await assertFails(install(agent('/agent.zip', { cmd: './other' })), 'doesNotStart');
    await assertFails(install(agent('/agent.zip', { cmd: './dist' })), 'doesNotStart');
  });

  it('refuses installers, and agents that are not there for this system', async () => {
    await assertFails(install(agent('/agent.dmg')), 'notSupportedHere');
    const other = { ...agent('/agent.zip'), distributions: [{ kind: 'binary', targets: {} } as const] };
    await assertFails(install(other), 'notSupportedHere');
    await assertFails(install({ ...other, distributions: [] }), 'notSupportedHere');
    const plan = await installer.plan(other, signal);
    assert.match(plan.problem ?? '', /^It is not available for this system/);
  });

  it('leaves nothing of a program that does not start', async () => {
    await assertFails(install(agent('/broken.zip')), 'doesNotStart');
  });

  it('reports what the server answers', async () => {
    await assertFails(install(agent('/missing.zip')), 'notFound');
    respond = (_name, response) => response.end('<html>Sign in to the network</html>');
    await assertFails(install(agent('/agent.zip')), 'integrity');
  });

  for (const percent of [10, 50, 99]) {
    it(`leaves nothing when the connection is cut at ${percent} %`, async () => {
      respond = (name, response) => {
        const file = files.get(name) ?? Buffer.alloc(0);
        response.setHeader('content-length', file.length);
        response.write(file.subarray(0, Math.floor((file.length * percent) / 100)), () => response.destroy());
      };
      await assertFails(install(agent('/agent.tgz')), 'connectionLost');
    });
  }

  it('leaves nothing when the server stops sending, or when the user cancels', async () => {
    respond = (_name, response) => void response.write('x');
    installer.dispose();
    installer = await start({ silenceMs: 200 });
    await assertFails(install(agent('/agent.zip')), 'stalled');
    installer.dispose();
    installer = await start();
    const controller = new AbortController();
    respond = (_name, response) => void response.write('x', () => controller.abort());
    await assertFails(install(agent('/agent.zip'), controller.signal), 'cancelled');
  });

  it('takes the archive if the npm package needs a newer Node.js or uv is missing', async () => {
    const [binary] = agent('/agent.zip').distributions;
    assert.ok(binary);
    const uvx = { kind: 'uvx', package: 'agent==1.0', args: [], env: {} } as const;
    const installed = await install({ ...agent('/agent.zip'), distributions: [uvx, binary] });
    assert.equal(installed.kind, 'binary');
  });

  it('keeps what is installed when the disk refuses to write', async () => {
    const installed = await install(agent('/agent.zip'));
    // A file where the folder of unfinished things should be: nothing can be written there.
    await rm(path.join(folder, '.staging'), { recursive: true });
    await writeFile(path.join(folder, '.staging'), '');
    await assert.rejects(install(agent('/agent.tgz')), { name: 'InstallError', code: 'storage' });
    assert.deepEqual(installer.installed(), [installed]);
    await rm(path.join(folder, '.staging'));
  });
});
