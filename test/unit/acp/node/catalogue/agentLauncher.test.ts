import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentLauncher, type AgentLauncherDeps } from '../../../../../src/acp/node/catalogue/agentLauncher';
import type { ProcessEntry } from '../../../../../src/acp/node/catalogue/agentCatalogue';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../../../../src/wire/common/traffic';
import { answeringConsent } from '../../../../fake/answeringConsent';
import { buildDemoAgent } from '../../../../fake/acp/demoAgentFile';
import { FakeEditor } from '../../../../fake/fakeEditor';
import type { ToolCaller } from '../../../../../src/session/common/toolCaller';
import { until } from '../../../../support/eventually';
import { standingOf } from '../../../../fake/fakePermissions';
import { OutgoingHttp } from '../../../../../src/wire/node/outgoingHttp';

function launcherWith(
  ownMcpServers: (transports: { readonly http: boolean }, caller?: ToolCaller) => Promise<never>,
  consent = answeringConsent('denied'),
  newestEntry: (entry: ProcessEntry) => Promise<ProcessEntry> = (same) => Promise.resolve(same),
  more: Partial<AgentLauncherDeps> = {},
): AgentLauncher {
  return new AgentLauncher({
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor: new FakeEditor({}, [tmpdir()]),
    clock: systemClock,
    http: new OutgoingHttp(),
    log: nullLogger,
    tap: disabledTrafficTap,
    standing: standingOf(),
    environment: { PATH: '' },
    defaultFolder: () => tmpdir(),
    isTrusted: () => true,
    agentConsent: { consent, places: () => ({ cwd: tmpdir(), folders: [] }) },
    newestEntry,
    createId: () => 'id',
    random: () => 0,
    windowMcpServers: ownMcpServers,
    elicit: () => Promise.resolve({ action: 'decline' }),
    runInTerminal: () => Promise.resolve(false),
    keysOf: () => Promise.resolve({}),
    ...more,
  });
}

/** Runs `work` with a conversation with the demo agent, and ends both. */
async function withDemoSession(
  launcher: AgentLauncher,
  work: () => void = () => undefined,
  settings: Partial<ProcessEntry> = {},
): Promise<void> {
  const demo = await buildDemoAgent();
  try {
    const backend = launcher.createBackend({
      ...entry,
      id: 'demo',
      args: [demo.file],
      source: 'demo',
      ...settings,
    });
    const session = await backend.createSession({ cwd: tmpdir() });
    work();
    await session.close();
    await backend.stop();
    backend.dispose();
  } finally {
    await demo.remove();
  }
}

const entry = {
  id: 'silent',
  title: 'Agent',
  command: process.execPath,
  args: ['-e', 'setInterval(() => undefined, 60000)'],
  env: {},
  dialect: 'v1',
  mcpServers: {},
  missingFile: 'error',
  source: 'configured',
} as const;

const noPort = (): Promise<never> => Promise.reject(new Error('no port'));

describe('the start of an agent', () => {
  it('is that of its newest version, whose folder is in use while it runs', async () => {
    const demo = await buildDemoAgent();
    const folder = dirname(demo.file);
    try {
      const launcher = launcherWith(noPort, answeringConsent('denied'), (given) =>
        Promise.resolve({ ...given, args: [demo.file] }),
      );
      const backend = launcher.createBackend({ ...entry, args: ['/gone'], source: 'installed' });
      assert.equal(launcher.isInUse(folder), false);
      await backend.capabilities();
      assert.equal(launcher.isInUse(folder), true);
      assert.equal(launcher.isInUse(join(folder, 'other')), false);
      await backend.stop();
      await until('its folder is free', () => !launcher.isInUse(folder));
      backend.dispose();
    } finally {
      await demo.remove();
    }
  });

  it('offers Codex version 1, or version 2 if the user has chosen so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backline-codex-'));
    const script = join(folder, 'codex-acp.mjs');
    const offered = join(folder, 'offered');
    await writeFile(
      script,
      `import { appendFileSync } from 'node:fs';
      import { createInterface } from 'node:readline';
      for await (const line of createInterface(process.stdin)) {
        const { id, params } = JSON.parse(line);
        appendFileSync(process.argv[2], String(params.protocolVersion));
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } }));
      }`,
    );
    try {
      const knownAs = 'codex';
      // A program that only has the name of a known agent gets nothing of what is known about that agent.
      for (const settings of [{ knownAs }, { knownAs, protocol: 'auto' }, { knownAs, protocol: '2' }, {}] as const) {
        const backend = launcherWith(noPort).createBackend({ ...entry, args: [script, offered], ...settings });
        await backend.capabilities();
        await backend.stop();
        backend.dispose();
      }
      assert.equal(await readFile(offered, 'utf8'), '1222');
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('gets the MCP server of the window ready meanwhile, and does without one that fails', async () => {
    let asked = 0;
    const launcher = launcherWith(() => {
      asked++;
      return noPort();
    });
    const backend = launcher.createBackend(entry);
    assert.equal(asked, 0);
    const failed = assert.rejects(backend.capabilities(), { code: 'closed' });
    await until('the question', () => asked === 1);
    await until('the agent', () => backend.state.kind === 'starting');
    await backend.stop();
    await failed;
    backend.dispose();
  });

  it('begins a conversation without the MCP server of the window when that fails', async () => {
    const transports: boolean[] = [];
    const callers: (ToolCaller | undefined)[] = [];
    const launcher = launcherWith(({ http }, caller) => {
      transports.push(http);
      callers.push(caller);
      return noPort();
    });
    await withDemoSession(launcher, () => {
      assert.deepEqual(
        callers.map((caller) => caller?.endSignal.aborted),
        [undefined, false],
        'the session calls the tools',
      );
    });
    assert.deepEqual(transports, [true, true], 'as the demo agent takes servers over HTTP');
    assert.ok(callers[1]?.endSignal.aborted, 'until it ends');
  });

  it('does without the MCP server of the window if the user wants that for this agent', async () => {
    let asked = 0;
    const launcher = launcherWith(() => {
      asked++;
      return noPort();
    });
    await withDemoSession(launcher, () => assert.equal(asked, 0), { tools: false });
    assert.equal(asked, 0);
    await withDemoSession(launcher, () => assert.equal(asked, 2), { tools: true });
  });

  it('knows which backends have got a server of the workspace that is no longer allowed', async () => {
    const demo = await buildDemoAgent();
    const consent = answeringConsent('allowed');
    const file = join(tmpdir(), '.vscode', 'mcp.json');
    const servers = { own: { command: process.execPath, args: ['-e', ''] } };
    const editor = new FakeEditor({ [file]: JSON.stringify({ servers }) }, [tmpdir()]);
    const launcher = launcherWith(noPort, consent, undefined, { editor });
    const create = () => launcher.createBackend({ ...entry, id: 'demo', args: [demo.file], source: 'demo' });
    const [used, unused] = [create(), create()];
    try {
      await used.createSession({ cwd: tmpdir() });
      assert.deepEqual(
        consent.asked.map(({ name }) => name),
        ['own'],
      );
      assert.equal(launcher.hasDeniedServers(used), false);
      const [server] = consent.asked;
      assert.ok(server);
      consent.answer = 'denied';
      await consent.askAgain(server);
      assert.deepEqual([launcher.hasDeniedServers(used), launcher.hasDeniedServers(unused)], [true, false]);
    } finally {
      await Promise.all([used.stop(), unused.stop()]);
      used.dispose();
      unused.dispose();
      await demo.remove();
    }
  });

  it('lets go of a server that .vscode/mcp.json named in an earlier conversation', async () => {
    const consent = answeringConsent('denied');
    consent.registerAndDecide({
      kind: 'mcpServer',
      name: 'gone',
      source: { file: join(tmpdir(), '.vscode', 'mcp.json'), keys: ['servers', 'gone'] },
      facts: [],
      hash: '0'.repeat(64),
    });
    await withDemoSession(launcherWith(noPort, consent), () => assert.deepEqual(consent.seen, []));
  });

  it('of the draft dialect does not ignore LLM providers that the user has set', async () => {
    const stored = new Map([['main', { kind: 'disabled' as const }]]);
    const starts: string[] = [];
    const launcher = launcherWith(
      noPort,
      undefined,
      (given) => {
        starts.push(given.id);
        return Promise.reject(new Error('not started in this test'));
      },
      { providersOf: () => Promise.resolve(stored) },
    );
    const backend = launcher.createBackend({ ...entry, dialect: 'draft' });
    await assert.rejects(backend.createSession({ cwd: tmpdir() }), /cannot use the LLM providers that you have set/);
    assert.equal(backend.state.kind, 'failed');
    assert.deepEqual(starts, []);
    stored.clear();
    await assert.rejects(backend.createSession({ cwd: tmpdir() }), /not started in this test/);
    assert.deepEqual(starts, ['silent']);
    backend.dispose();
  });
});
