import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import { AgentInstaller } from '../../../../src/agents/node/agentInstaller';
import { realInstallPorts } from '../../../fake/agents/installPorts';
import { only } from '../../../support/only';
import { fakeNpm } from './support/fakeNpm';
import { NpmRegistryServer } from './support/npmRegistry';

const { signal } = new AbortController();

only('where scripts start by themselves', process.platform !== 'win32').describe(
  'a VS Code whose program is Electron, on a machine without Node.js',
  () => {
    let root: string;
    let registry: NpmRegistryServer;
    before(async () => {
      root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-electron-')));
      registry = new NpmRegistryServer();
      await registry.start();
    });
    after(async () => {
      registry.stop();
      await rm(root, { recursive: true, force: true });
    });

    it('is started as Node.js for npm, the first try and the agent, and never as an editor', async () => {
      // As on macOS: the path has spaces. Like Electron, it is Node.js only if a variable says so.
      const editor = path.join(root, 'Code Helper (Plugin).app', 'Code Helper');
      await mkdir(path.dirname(editor));
      const log = path.join(root, 'starts.log');
      const lines = [
        '#!/bin/sh',
        `if [ "$ELECTRON_RUN_AS_NODE" != 1 ] || [ "$ELECTRON_NO_ASAR" != 1 ]; then echo editor >> '${log}'; exit 1; fi`,
        `for word in "$@"; do case "$word" in *.js) echo "\${word##*/}" >> '${log}';; esac; done`,
        `exec '${process.execPath}' "$@"`,
      ];
      await writeFile(editor, `${lines.join('\n')}\n`, { mode: 0o755 });
      const sha512Base64 = await registry.publish({
        ...{ name: 'npm', version: '11.0.0', files: { 'bin/npm-cli.js': fakeNpm } },
      });
      const env = {
        HOME: root,
        PATH: path.join(root, 'nothing'),
        npm_config_registry: `${registry.origin}/`,
        npm_config_userconfig: path.join(root, '.npmrc'),
      };
      const ports = realInstallPorts(env);
      const installer = new AgentInstaller({
        folder: path.join(root, 'agents'),
        // The version is Electron's own, which need not be that of the program that stands for it.
        ports: { ...ports, system: { ...ports.system, execPath: editor, nodeVersion: '22.19.0' } },
        npm: { version: '11.0.0', sha512Base64, nodeRange: '>=20' },
      });
      await installer.start();
      const agent: RegistryAgent = {
        ...{ id: 'test-agent', name: 'Test Agent', version: '1.0.0', description: 'x', authors: [] },
        distributions: [{ kind: 'npx', package: '@test/agent@1.0.0', args: ['--acp'], env: { MODE: 'test' } }],
      };
      const installed = await installer.install(agent, { signal, onProgress: () => undefined });
      installer.dispose();
      assert.equal(installed.command, editor);
      assert.deepEqual(installed.env, { MODE: 'test', ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' });
      await ports.tryAgent(installed, signal);
      const starts = (await readFile(log, 'utf8')).trim().split('\n');
      assert.deepEqual(starts, ['npm-cli.js', 'npm-cli.js', 'run.js', 'run.js']);
    });
  },
);
