import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { loadAgentCatalogue, type UrlEntry } from '../../../../../src/acp/node/catalogue/agentCatalogue';
import { consentSubjectOfAgent } from '../../../../../src/acp/node/catalogue/agentConsent';
import { AgentLauncher, type AgentLauncherDeps } from '../../../../../src/acp/node/catalogue/agentLauncher';
import { AgentBackendRegistry } from '../../../../../src/acp/node/catalogue/agentBackendRegistry';
import { diskCommandFileAccess } from '../../../../../src/acp/node/process/commandLookup';
import type { AgentServer } from '../../../../../src/acp/node/serve/agentServer';
import type { Logger } from '../../../../../src/base/common/log';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { isBackendError, type SessionBackend } from '../../../../../src/session/common/sessionBackend';
import { TrafficLog } from '../../../../../src/wire/common/traffic';
import { answeringConsent } from '../../../../fake/answeringConsent';
import { Follower } from '../../../../fake/backendHarness';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { standingOf } from '../../../../fake/fakePermissions';
import { addressOf, remoteToken, serveAgents, transports } from '../../../../fake/acp/remoteAgents';
import { only } from '../../../../support/only';
import { basics, echo, says, ScriptedAgents, type Script } from '../../../../fake/acp/scriptedAgent';
import { LyingServer } from '../remote/support';
import { OutgoingHttp } from '../../../../../src/wire/node/outgoingHttp';

const placesOf = () => ({ cwd: tmpdir(), folders: [tmpdir()] });

describe('remote agents', () => {
  const servers: AgentServer[] = [];
  const backends: SessionBackend[] = [];
  const lines: string[] = [];
  const traffic = new TrafficLog(
    () => 0,
    1000,
    () => undefined,
  );
  const log: Logger = {
    ...nullLogger,
    child: () => log,
    debug: (text) => void lines.push(text),
    info: (text) => void lines.push(text),
    warn: (text) => void lines.push(text),
    error: (text, error) => void lines.push(text, String(error)),
  };

  afterEach(async () => {
    for (const backend of backends.splice(0)) {
      await backend.stop();
      backend.dispose();
    }
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    lines.splice(0);
  });

  async function served(script: Script, allowedHosts: readonly string[] = []): Promise<AgentServer> {
    const server = await serveAgents(new ScriptedAgents(script).start, { allowedHosts });
    servers.push(server);
    return server;
  }

  const entryOf = (url: string, more: Partial<UrlEntry> = {}): UrlEntry => ({
    id: 'far',
    title: 'Far',
    url,
    headers: { Authorization: 'Bearer ${secret:TOKEN}' },
    mcpServers: {},
    missingFile: 'error',
    source: 'configured',
    ...more,
  });

  function open(entry: UrlEntry, deps: Partial<AgentLauncherDeps> = {}): SessionBackend {
    const launcher = new AgentLauncher({
      clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
      editor: new FakeEditor({}, [tmpdir()]),
      clock: systemClock,
      http: new OutgoingHttp(),
      log,
      tap: traffic,
      standing: standingOf(),
      environment: { PATH: '' },
      defaultFolder: () => tmpdir(),
      isTrusted: () => true,
      agentConsent: { consent: answeringConsent('denied'), places: placesOf },
      createId: () => 'id',
      random: () => 0,
      elicit: () => Promise.resolve({ action: 'decline' }),
      runInTerminal: () => assert.fail('a terminal of this machine'),
      keysOf: () => Promise.resolve({ TOKEN: remoteToken }),
      ...deps,
    });
    const backend = launcher.createBackend(entry);
    backends.push(backend);
    return backend;
  }

  const failureOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => assert.fail('it works'),
      (reason: unknown) => reason,
    );
    assert.ok(isBackendError(error), String(error));
    return error.message;
  };

  for (const transport of transports) {
    it(`connect over ${transport} with the stored secret, which nothing shows that the agent says`, async () => {
      const recording = traffic.startRecording();
      const server = await served((app) => {
        basics(app);
        app.onRequest('session/prompt', async ({ params, client }) => {
          await client.notify('session/update', says(params.sessionId, `your token is ${remoteToken}.`));
          return { stopReason: 'end_turn' };
        });
      });
      const backend = open(entryOf(addressOf(server.url, transport).url));
      const session = await backend.createSession({ cwd: tmpdir() });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'hello' });
      await follower.next('prompt:complete');
      assert.match(JSON.stringify(follower.events), /your token is \[key\]\./);
      const everything = [...lines, JSON.stringify(traffic.recordedEntries), JSON.stringify(follower.events)].join(
        '\n',
      );
      recording.dispose();
      assert.ok(!everything.includes(remoteToken));
      assert.match(everything, /session\/prompt/);
    });
  }

  it('name the secret that is not stored, and connect to nothing', async () => {
    const server = await served(echo);
    const backend = open(entryOf(server.url), { keysOf: () => Promise.resolve({}) });
    assert.match(await failureOf(backend.capabilities()), /the secret "TOKEN" .* Run "Backline: Manage Agent Keys…"/);
    assert.equal(backend.state.kind, 'failed');
    assert.equal(server.agentCount, 0);
  });

  it('name the secret that no header can contain, and connect to nothing', async () => {
    const server = await served(echo);
    for (const transport of transports) {
      const backend = open(entryOf(addressOf(server.url, transport).url), {
        keysOf: () => Promise.resolve({ TOKEN: `${remoteToken}…` }),
      });
      assert.match(
        await failureOf(backend.capabilities()),
        /the secret "TOKEN" contains a character .* Store it again/,
      );
    }
    assert.equal(server.agentCount, 0);
  });

  it('show no secret that a server repeats when it ends the connection', async () => {
    const server = await new LyingServer({
      socket: (socket) => socket.close(4000, `unknown token ${remoteToken}`),
    }).start();
    try {
      const backend = open(entryOf(server.url('ws')));
      const message = await failureOf(backend.capabilities());
      const shown = [message, JSON.stringify(backend.state), ...lines].join('\n');
      assert.match(shown, /unknown token \[key\]/);
      assert.ok(!shown.includes(remoteToken), shown);
    } finally {
      await server.stop();
    }
  });

  it('report where they connect while they do, and why they are unavailable', async () => {
    const server = await served(echo);
    const backend = open(entryOf(server.url), {
      keysOf: () => Promise.resolve({ TOKEN: 'a-wrong-token-of-mine' }),
    });
    const states: string[] = [];
    backend.onDidChangeState((state) => states.push('message' in state ? state.message : state.kind));
    const failure = await failureOf(backend.capabilities());
    assert.match(failure, /^Far is unavailable\. http:\/\/127\.0\.0\.1:\d+\/acp refused the connection \(401\)/);
    assert.equal(states[0], 'Connecting to Far…');
    assert.equal(states.at(-1), failure);
  });

  it('do not connect in an untrusted workspace', async () => {
    const server = await served(echo);
    const backend = open(entryOf(server.url), { isTrusted: () => false });
    assert.match(await failureOf(backend.capabilities()), /not trusted/);
    assert.equal(server.agentCount, 0);
  });

  it('of a workspace connect only with consent, and get no secrets of the user', async () => {
    const server = await served(echo);
    const url = server.url;
    const workspaceDefinition = { name: 'far', setting: { url, headers: {}, mcpServers: {} }, file: undefined };
    const asked: string[] = [];
    const keysOf = (id: string): Promise<Record<string, string>> => {
      asked.push(id);
      return Promise.resolve({ TOKEN: remoteToken });
    };
    const denied = open(entryOf(url, { workspaceDefinition }), { keysOf });
    assert.match(await failureOf(denied.capabilities()), /You have not allowed this agent/);
    const agentConsent = { consent: answeringConsent('allowed'), places: placesOf };
    const allowed = open(entryOf(url, { workspaceDefinition }), { keysOf, agentConsent });
    assert.match(await failureOf(allowed.capabilities()), /the secret "TOKEN"/);
    assert.deepEqual(asked, []);
  });

  only('where 0.0.0.0 is this machine', process.platform !== 'win32').it(
    'get the servers of this machine only if they are on it',
    async () => {
      const requests: object[] = [];
      const server = await served(
        (app) => {
          app.onRequest('session/new', ({ params }) => {
            requests.push(params);
            return { sessionId: `s${requests.length}` };
          });
          const mcpCapabilities = { http: true };
          basics(app, { agentCapabilities: { mcpCapabilities } });
        },
        ['0.0.0.0'],
      );
      const windowMcpServers = () =>
        Promise.resolve({ backline: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} } });
      const near = open(entryOf(server.url), { windowMcpServers });
      await near.createSession({ cwd: tmpdir() });
      assert.deepEqual(namesOf(requests[0]), ['backline']);

      // This address leads to this machine too, but counts as another one.
      const mcpServers = { tool: { command: 'tool-there', args: ['x'], env: {} } };
      const url = server.url.replace('127.0.0.1', '0.0.0.0');
      const far = open(entryOf(url, { mcpServers }), { windowMcpServers });
      await far.createSession({ cwd: tmpdir() });
      assert.deepEqual(namesOf(requests[1]), ['tool']);
      assert.match(JSON.stringify(requests[1]), /"command":"tool-there"/);
    },
  );

  it('work in the folder on their machine, if one is set', async () => {
    const requests: Record<string, unknown>[] = [];
    const server = await served((app) => {
      app.onRequest('session/new', ({ params }) => {
        requests.push({ ...params });
        return { sessionId: 's1' };
      });
      app.onRequest('session/load', ({ params }) => {
        requests.push({ ...params });
        return {};
      });
      app.onRequest('session/list', ({ params }) => {
        requests.push({ ...params });
        return { sessions: [] };
      });
      basics(app);
    });
    const backend = open(entryOf(server.url, { cwd: '/srv/project' }));
    await backend.createSession({ cwd: tmpdir(), additionalDirectories: ['/other'] });
    await backend.loadSession('old', { cwd: tmpdir() });
    await backend.listSessions({ cwd: tmpdir() });
    assert.deepEqual(
      requests.map(({ cwd, additionalDirectories }) => [cwd, additionalDirectories]),
      Array(3).fill(['/srv/project', undefined]),
    );
  });

  describe('in the list', () => {
    const load = (ofUser: object, ofWorkspace?: object) =>
      loadAgentCatalogue({
        platform: 'linux',
        levels: [
          { value: ofUser, isTrusted: true },
          ...(ofWorkspace
            ? [{ value: ofWorkspace, isTrusted: true, origin: { name: 'work', file: '/work/settings.json' } }]
            : []),
        ],
        env: {},
        cwd: '/work',
        files: diskCommandFileAccess,
        demo: { execPath: '/opt/code', script: '/demo.js' },
      });
    const registryOf = (catalogue: Awaited<ReturnType<typeof load>>): AgentBackendRegistry =>
      new AgentBackendRegistry({
        loadCatalogue: () => Promise.resolve(catalogue),
        createBackend: () => assert.fail('nothing is opened'),
        isTrusted: () => true,
        agentConsent: { consent: answeringConsent('denied'), places: placesOf },
        needsSignIn: () => false,
        isWorking: () => false,
        onDidPostpone: () => undefined,
        log: nullLogger,
      });

    it('have their URL without its query, and the host if it is another machine', async () => {
      const catalogue = await load({
        far: { url: 'https://agents.example/acp?key=secret-key' },
        near: { url: 'ws://127.0.0.1:8766/acp' },
      });
      const [far, near] = await registryOf(catalogue).list();
      assert.deepEqual(
        [far?.id, far?.description, far?.remoteHost, far?.problem],
        ['far', 'https://agents.example/acp', 'agents.example', undefined],
      );
      assert.deepEqual([near?.description, near?.remoteHost], ['ws://127.0.0.1:8766/acp', undefined]);
    });

    it('of a workspace are separate, need permission, and cannot use secrets', async () => {
      const url = 'https://agents.example/acp';
      const catalogue = await load(
        { far: { url } },
        { far: { url, headers: { 'X-Team': 'a' } }, thief: { url, headers: { 'X-Key': '${secret:TOKEN}' } } },
      );
      const entries = await registryOf(catalogue).list();
      const [own, other, thief] = entries;
      assert.equal(own?.needsPermission, undefined);
      assert.match(other?.id ?? '', /^far@work~[0-9a-f]{8}$/);
      assert.equal(other?.needsPermission, true);
      assert.match(thief?.problem ?? '', /Only agents in your user settings can receive secrets/);
    });

    it('of a workspace show the user everything that is sent, and need consent again if it changes', async () => {
      const setting = { url: 'https://agents.example/acp', headers: { 'X-Team': 'a' }, cwd: '/srv' };
      const subjectOf = async (value: object) => {
        const { agents } = await load({}, { far: value });
        const entry = agents.find(({ workspaceDefinition }) => workspaceDefinition);
        assert.ok(entry);
        return await consentSubjectOfAgent(entry, placesOf());
      };
      const subject = await subjectOf(setting);
      assert.deepEqual(
        subject?.facts.map(({ label, value }) => `${label}: ${value}`),
        [
          'Sends prompts and files to: https://agents.example/acp',
          'Folder on the agent’s machine: /srv',
          'Header X-Team: a',
        ],
      );
      const changed = await subjectOf({ ...setting, url: 'https://evil.example/acp' });
      assert.notEqual(changed?.hash, subject.hash);
      const { agents } = await load({ far: setting });
      assert.ok(agents[0]);
      assert.equal(await consentSubjectOfAgent(agents[0], placesOf()), undefined, 'the user’s own');
    });
  });
});

function namesOf(request: object | undefined): unknown[] {
  const { mcpServers } = Object.fromEntries(Object.entries(request ?? {}));
  return Array.isArray(mcpServers) ? mcpServers.map((server: { name: unknown }) => server.name) : [];
}
