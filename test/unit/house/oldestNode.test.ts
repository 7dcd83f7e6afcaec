import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'acorn';
import { build } from 'esbuild';
import { agentReaperBundle } from '../../../scripts/lib/bundles/agentReaper.mjs';
import { amplifierServerBundle } from '../../../scripts/lib/bundles/amplifierServer.mjs';
import { demoAgentBundle } from '../../../scripts/lib/bundles/demoAgent.mjs';
import { mcpBridgeBundle } from '../../../scripts/lib/bundles/mcpBridge.mjs';
import { isTooOld, oldestNode } from '../../../scripts/lib/oldestNode.mjs';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { AmplifierClient } from '../../../src/amplifier/node/client/http/amplifierClient';
import { McpServer } from '../../../src/tools/node/mcpServer';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';
import { AcpProgram } from '../../fake/acp/acpProgram';
import { AmplifierProgram } from '../../fake/amplifier/amplifierProgram';
import { only } from '../../support/only';

/** All programs that run with the user's own Node.js. */
const names = ['amplifier-server', 'acp-server', 'demo-agent', 'mcp-bridge', 'agent-reaper'] as const;

/** The Node.js of this machine that is one of the oldest major version: not the one of the toolchain. */
function findOldest(): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const found = [process.env['BACKLINE_OLDEST_NODE'], ...folders.map((folder) => path.join(folder, 'node'))];
  return found.find((file) => {
    const version = file === undefined ? '' : spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout;
    const isOldestMajor = typeof version === 'string' && version.startsWith(`v${oldestNode.split('.')[0] ?? ''}.`);
    return isOldestMajor && !isTooOld(version.trim().slice(1), oldestNode);
  });
}

describe('the programs for the user’s own Node.js', () => {
  const oldest = findOldest() ?? '';
  let folder: string;
  const fileOf = (name: (typeof names)[number]): string => path.join(folder, `${name}.js`);

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-oldest-'));
    for (const bundle of [amplifierServerBundle(), demoAgentBundle(), agentReaperBundle(), mcpBridgeBundle()])
      await build({ ...bundle, outdir: folder, logLevel: 'warning' });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('tell versions by their numbers', () => {
    assert.deepEqual(
      ['18.20.8', '20.18.9', '20.19.0', '20.100.0', '22.0.0'].map((version) => isTooOld(version, '20.19')),
      [true, true, false, false, false],
    );
  });

  for (const name of names) {
    describe(`${name}.js`, () => {
      it('can be parsed by older ones', async () => {
        parse(await readFile(fileOf(name), 'utf8'), { ecmaVersion: 2022, allowHashBang: true });
      });

      it('says in one sentence that an older one is too old, and ends with 1', async () => {
        const pretend = path.join(folder, 'older.cjs');
        await writeFile(
          pretend,
          `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });
           delete Promise.withResolvers; delete URL.parse; delete AbortSignal.any; delete globalThis.fetch;`,
        );
        const { status, stderr, stdout } = spawnSync(process.execPath, ['--require', pretend, fileOf(name)], {
          encoding: 'utf8',
          input: '',
        });
        assert.deepEqual([status, stdout], [1, '']);
        assert.match(stderr, /^Backline needs Node\.js 20\.19 or newer, and this is 18\.20\.8: [^\n]*\n$/);
      });
    });
  }

  only(`with Node.js ${oldestNode.split('.')[0] ?? ''} on the PATH`, oldest !== '').describe(
    'with the oldest one',
    () => {
      it('the Amplifier server answers a prompt by the demo agent', async () => {
        const program = new AmplifierProgram({ file: fileOf('amplifier-server'), cwd: folder, node: oldest });
        await program.start();
        const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl: program.url, log: nullLogger });
        try {
          assert.ok((await client.health()).status);
          const { session_id: id } = await client.createSession({
            profile: (await client.listProfiles())[0]?.name ?? '',
          });
          await client.sendPrompt(id, { prompt: 'What can you do?' });
        } finally {
          client.dispose();
          await program.stop();
        }
      });

      it('the ACP server offers an agent', async () => {
        const args = ['--port', '0'];
        const program = new AcpProgram({ file: fileOf('acp-server'), cwd: folder, args, node: oldest });
        await program.start();
        try {
          assert.match(program.url, /^https?:|^wss?:/);
          const refused = await fetch(program.url, { method: 'POST' });
          assert.equal(refused.status, 401);
        } finally {
          await program.stop();
        }
      });

      it('the demo agent answers', async () => {
        const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
        const { stdout } = await runWith([fileOf('demo-agent')], `${JSON.stringify(request)}\n`);
        assert.match(stdout, /"id":1,"result":/);
      });

      it('the MCP bridge forwards', async () => {
        const server = new McpServer({ name: 'b', version: '1', clock: systemClock, log: nullLogger, providers: [] });
        await server.start();
        try {
          const { headers, url } = server.createAddress();
          const env = { BACKLINE_MCP_URL: url, BACKLINE_MCP_AUTHORIZATION: headers['Authorization'] ?? '' };
          const { stdout } = await runWith([fileOf('mcp-bridge')], '{"jsonrpc":"2.0","id":7,"method":"ping"}\n', env);
          assert.match(stdout, /"id":7,"result":\{\}/);
        } finally {
          await server.stop();
        }
      });
    },
  );

  /** Runs a program with the oldest Node.js until its input and its work are over. */
  async function runWith(args: string[], input: string, env: Record<string, string> = {}): Promise<{ stdout: string }> {
    const running = promisify(execFile)(oldest, args, { env: { ...process.env, ...env }, timeout: 60_000 });
    running.child.stdin?.end(input);
    return await running;
  }
});
