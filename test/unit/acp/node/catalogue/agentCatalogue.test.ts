import assert from 'node:assert/strict';
import {
  loadAgentCatalogue,
  type ProcessEntry,
  type AgentSettingsLevel,
} from '../../../../../src/acp/node/catalogue/agentCatalogue';
import { OriginStore, type OriginClaims } from '../../../../../src/acp/common/catalogue/agentOrigins';
import type { InstalledProgram } from '../../../../../src/acp/common/catalogue/installedAgents';
import type { CommandFileAccess } from '../../../../../src/acp/node/process/commandLookup';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const present: Record<string, string> = {
  '/bin/gemini': '#!/usr/bin/env node',
  '/bin/node': '',
  '/bin/opencode': '',
  '/bin/auggie': '#!/usr/bin/env lost-node',
  '/extra/mine': '',
  '/work/tools/agent': '',
  '/store/gemini/1.2.0/node': '',
};
const files: CommandFileAccess = {
  kindOf: (file) => Promise.resolve(file in present ? 'executable' : 'missing'),
  readHead: (file) => Promise.resolve(present[file] ?? ''),
};

interface Programs {
  readonly agents: readonly ProcessEntry[];
  readonly problems: readonly string[];
}

const load = (...levels: AgentSettingsLevel[]): Promise<Programs> => loadInstalled([], ...levels);
const loadInstalled = async (
  installed: readonly InstalledProgram[],
  ...levels: AgentSettingsLevel[]
): Promise<Programs> => {
  const { agents, problems } = await loadAll(installed, { levels });
  const programs = agents.filter((agent) => agent.url === undefined);
  assert.equal(programs.length, agents.length);
  return { agents: programs, problems };
};
const loadAll = (
  installed: readonly InstalledProgram[],
  { levels = [], origins }: { levels?: readonly AgentSettingsLevel[]; origins?: OriginClaims } = {},
): ReturnType<typeof loadAgentCatalogue> =>
  loadAgentCatalogue({
    installed,
    platform: 'linux',
    levels,
    ...(origins ? { origins } : {}),
    env: { PATH: '/bin' },
    cwd: '/work',
    files,
    demo: { execPath: '/opt/code', script: '/ext/dist/demo-agent.js' },
  });
const user = (value: unknown): AgentSettingsLevel => ({ value, isTrusted: true });

describe('the catalogue of agents', () => {
  it('without settings offers what is on PATH, and the demo agent last', async () => {
    const { agents, problems } = await load(user(undefined));
    assert.deepEqual(
      agents.map(({ id, source }) => [id, source]),
      [
        ['gemini', 'found'],
        ['opencode', 'found'],
        ['auggie', 'found'],
        ['demo-agent', 'demo'],
      ],
    );
    assert.deepEqual(problems, []);
  });

  it('knows the command line and the needs of an agent that it found', async () => {
    const [gemini] = (await load()).agents;
    assert.deepEqual(gemini, {
      id: 'gemini',
      title: 'Gemini',
      command: 'gemini',
      args: ['--acp'],
      env: {},
      dialect: 'v1',
      mcpServers: {},
      missingFile: 'empty',
      source: 'found',
      knownAs: 'gemini',
      identity: { origin: 'known:gemini', claim: 'own' },
    });
  });

  it('shows an agent whose interpreter is missing, with the reason', async () => {
    const auggie = (await load()).agents.find(({ id }) => id === 'auggie');
    assert.match(auggie?.problem?.message ?? '', /needs 'lost-node'/);
  });

  it('starts the demo agent with the program of the editor, as Node.js', async () => {
    const demo = (await load()).agents.at(-1);
    assert.equal(demo?.title, 'Demo agent (no model)');
    assert.deepEqual([demo.command, demo.args], ['/opt/code', ['/ext/dist/demo-agent.js']]);
    assert.deepEqual(demo.env, { ELECTRON_RUN_AS_NODE: '1' });
  });

  describe('with installed agents', () => {
    const program: InstalledProgram = {
      id: 'gemini-cli',
      name: 'Gemini CLI',
      version: '1.2.0',
      terms: { kind: 'npx', source: '@google/gemini-cli' },
      command: '/store/gemini/1.2.0/node',
      args: ['/store/gemini/1.2.0/gemini.js', '--acp'],
      env: { A: 'b' },
    };

    const mine = { id: 'mine', name: 'Mine', terms: { kind: 'npx', source: 'mine-acp' } } as const;

    it('gives no id of another agent to a program that a registry lists with it', async () => {
      const terms = { kind: 'npx', source: '@eve/agent' } as const;
      const archive = { kind: 'binary', source: 'https://github.com/eve/agent' } as const;
      const names = ['amp', 'mcp', 'amplifier', 'demo-agent', 'gemini', 'claude', 'opencode'];
      const foreign = names.map((id) => ({ ...program, id, name: id, terms }));
      const { agents } = await loadInstalled([
        ...foreign,
        { ...program, id: 'claude-agent-acp', terms },
        { ...program, id: 'eve', command: '/bin/opencode', terms: archive },
        { ...program, id: 'goose', account: 'Work', terms: archive },
      ]);
      const installed = agents.filter(({ source }) => source === 'installed');
      assert.deepEqual(
        installed.map(({ id }) => id),
        [
          ...names.map((id) => `${id}@npx:@eve/agent`),
          ...['claude-agent-acp', 'eve', 'goose@binary:https://github.com/eve/agent~Work'],
        ],
      );
      assert.equal(installed[0]?.title, 'amp (@eve/agent)');
      assert.ok(installed.every(({ knownAs, missingFile }) => knownAs === undefined && missingFile === 'error'));
      assert.ok(agents.some(({ id, source }) => id === 'gemini' && source === 'found'));
    });

    it('gives an id to the program that holds it, and to no other', async () => {
      const memento = new MemoryMemento();
      const origins = new OriginStore(memento);
      await origins.claim([{ id: 'mine', origin: 'npx:mine-acp' }]);
      const idsOf = async (source: string): Promise<string | undefined> => {
        const installed = [{ ...program, ...mine, terms: { kind: 'npx', source } as const }];
        return (await loadAll(installed, { origins })).agents[0]?.id;
      };
      assert.deepEqual([await idsOf('mine-acp'), await idsOf('@eve/mine')], ['mine', 'mine@npx:@eve/mine']);
    });

    it('knows an agent of an archive by where it comes from', async () => {
      const downloads: readonly (readonly [string, string])[] = [
        ['goose', 'https://github.com/block/goose'],
        ['vibe', 'https://github.com/mistralai/mistral-vibe'],
        ['cursor', 'https://downloads.cursor.com/lab'],
        ['amp-acp', 'https://github.com/tao12345666333/amp-acp'],
      ];
      for (const [id, source] of downloads) {
        const { agents } = await loadInstalled([{ ...program, id: 'any', terms: { kind: 'binary', source } }]);
        assert.deepEqual([agents[0]?.id, agents[0]?.knownAs], [id, id]);
      }
    });

    it('uses one instead of the one on PATH, with the id and the needs of a known agent and the name of the registry', async () => {
      const { agents } = await loadInstalled([program]);
      assert.deepEqual(agents[0], {
        id: 'gemini',
        title: 'Gemini CLI',
        command: program.command,
        args: program.args,
        env: program.env,
        dialect: 'v1',
        mcpServers: {},
        missingFile: 'empty',
        source: 'installed',
        knownAs: 'gemini',
        identity: { origin: 'known:gemini', claim: 'own' },
      });
      assert.equal(agents.filter(({ id }) => id === 'gemini').length, 1);
    });

    it('keeps the id and the name of the registry for others', async () => {
      const { agents } = await loadInstalled([{ ...program, ...mine }]);
      assert.deepEqual([agents[0]?.id, agents[0]?.title], ['mine', 'Mine']);
    });

    it('has a further account beside its agent, with an id and a name of its own', async () => {
      const { agents } = await loadInstalled([program, { ...program, account: 'Work' }]);
      assert.deepEqual(
        agents.slice(0, 2).map(({ id, title }) => [id, title]),
        [
          ['gemini', 'Gemini CLI'],
          ['gemini~Work', 'Gemini CLI (Work)'],
        ],
      );
      assert.deepEqual({ ...agents[1], id: 'gemini', title: 'Gemini CLI' }, agents[0]);
    });

    it('takes defaults and tools from an entry with its id or that of an account, and from no other', async () => {
      const other = { ...program, ...mine };
      const { agents, problems } = await loadInstalled(
        [program, { ...program, account: 'Work' }, other],
        user({ 'gemini~Work': { tools: false }, mine: { defaults: { mode: 'plan' } }, typo: { tools: false } }),
      );
      assert.deepEqual(
        agents.slice(0, 3).map(({ defaults, id, tools }) => [id, tools, defaults]),
        [
          ['gemini', undefined, undefined],
          ['gemini~Work', false, undefined],
          ['mine', undefined, { mode: 'plan' }],
        ],
      );
      assert.match(problems.join(), /^Agent 'typo' in backline\.acp\.agents: add a "command"/);
    });

    it('lets an entry of the settings with the same name win', async () => {
      const { agents } = await loadInstalled([program], user({ gemini: { command: 'opencode' } }));
      assert.deepEqual(
        agents.filter(({ id }) => id === 'gemini').map(({ source }) => source),
        ['configured'],
      );
    });

    it('has only one of two with the same id', async () => {
      const { agents } = await loadInstalled([program, { ...program, id: 'gemini' }]);
      assert.equal(agents.filter(({ id }) => id === 'gemini').length, 1);
    });

    it('says so if its program is missing', async () => {
      const { agents } = await loadInstalled([{ ...program, command: '/store/gone' }]);
      assert.match(agents[0]?.problem?.message ?? '', /program is missing\. Remove it and install it again/);
    });
  });

  it('has what the user wants new conversations with an agent to begin with', async () => {
    const { agents } = await load(user({ gemini: { command: 'gemini', defaults: { mode: 'plan' } } }));
    assert.deepEqual(agents.find(({ id }) => id === 'gemini')?.defaults, { mode: 'plan' });
  });

  it('merges defaults of the user without a command into the agent that it found, and into no other', async () => {
    const plain = (await load()).agents;
    const defaults = { mode: 'plan' };
    const { agents, problems } = await load(
      user({ gemini: { defaults }, opencode: { defaults: {} }, claude: { defaults } }),
    );
    assert.deepEqual(
      agents,
      plain.map((entry) =>
        entry.id === 'gemini' ? { ...entry, defaults } : entry.id === 'opencode' ? { ...entry, defaults: {} } : entry,
      ),
    );
    assert.deepEqual(problems, []);
    const withoutTools = await load(user({ gemini: { tools: false }, mine: { command: 'gemini', tools: false } }));
    assert.deepEqual(
      withoutTools.agents.flatMap(({ id, tools }) => (tools === false ? [id] : [])),
      ['mine', 'gemini'],
    );
    const origin = { name: 'work', file: '/work/.vscode/settings.json' };
    const bypass = { value: { gemini: { defaults: { mode: 'yolo' } } }, isTrusted: true, origin };
    const withWorkspace = await load(user({ gemini: { defaults } }), bypass);
    assert.deepEqual(withWorkspace.agents.find(({ id }) => id === 'gemini')?.defaults, defaults);
    assert.equal(withWorkspace.problems.length, 1);
  });

  it('puts configured agents first and lets them replace known ones of their name', async () => {
    const { agents } = await load(
      user({ mine: { command: 'opencode' }, gemini: { command: 'gemini', args: ['--old'] } }),
    );
    assert.deepEqual(
      agents.map(({ id, source }) => [id, source]),
      [
        ['mine', 'configured'],
        ['gemini', 'configured'],
        ['opencode', 'found'],
        ['auggie', 'found'],
        ['demo-agent', 'demo'],
      ],
    );
    assert.deepEqual([agents[1]?.args, agents[1]?.missingFile], [['--old'], 'empty']);
  });

  it('looks for the command with the PATH that the agent will have', async () => {
    const { agents } = await load(
      user({ mine: { command: 'mine', env: { PATH: '/extra' } }, other: { command: 'mine' } }),
    );
    assert.equal(agents[0]?.problem, undefined);
    assert.match(agents[1]?.problem?.message ?? '', /^"mine" isn't on PATH\.$/);
  });

  it('resolves relative commands and folders against the folder of the session', async () => {
    const { agents } = await load(
      user({ a: { command: './tools/agent' }, b: { command: './agent', cwd: 'tools' }, c: { command: './agent' } }),
    );
    assert.deepEqual(
      agents.slice(0, 3).map(({ cwd, problem }) => [cwd, problem === undefined]),
      [
        [undefined, true],
        ['/work/tools', true],
        [undefined, false],
      ],
    );
  });

  it('explains how to install a known agent that is configured and missing', async () => {
    const { agents } = await load(user({ mine: { command: 'codex-acp' } }));
    assert.deepEqual(agents[0]?.problem, {
      message: '"codex-acp" isn\'t on PATH.',
      details: 'PATH: /bin',
      install: 'npm install -g @agentclientprotocol/codex-acp',
    });
  });

  it('tells of wrong entries and keeps the others', async () => {
    const { agents, problems } = await load(user({ bad: {}, mine: { command: 'opencode' } }));
    assert.equal(agents[0]?.id, 'mine');
    assert.deepEqual(
      problems.map((problem) => /Agent '(\w+)'/.exec(problem)?.[1]),
      ['bad'],
    );
  });

  describe('with settings of the workspace', () => {
    const own = user({ mine: { command: 'opencode', args: ['user'] } });
    const entries = {
      mine: { command: 'opencode', args: ['workspace'] },
      added: { command: 'gemini' },
      opencode: { command: 'evil' },
      'demo-agent': { command: 'evil' },
    };
    const file = '/work/.vscode/settings.json';
    const workspace = (value: unknown, name = 'work', isTrusted = true): AgentSettingsLevel => ({
      value,
      isTrusted,
      origin: { name, file },
    });

    it('has them beside those of the user, those found and the demo agent, under ids of their own', async () => {
      const { agents } = await load(own, workspace(entries));
      assert.deepEqual(
        agents.map(({ id, title, command, args }) => [
          id.replace(/~[0-9a-f]{8}$/, '~…'),
          title,
          [command, ...args].join(' '),
        ]),
        [
          ['mine', 'mine', 'opencode user'],
          ['mine@work~…', 'mine (workspace)', 'opencode workspace'],
          ['added@work~…', 'added (workspace)', 'gemini'],
          ['opencode@work~…', 'opencode (workspace)', 'evil'],
          ['demo-agent@work~…', 'demo-agent (workspace)', 'evil'],
          ['gemini', 'Gemini', 'gemini --acp'],
          ['opencode', 'OpenCode', 'opencode acp'],
          ['auggie', 'Auggie', 'auggie --acp'],
          ['demo-agent', 'Demo agent (no model)', '/opt/code /ext/dist/demo-agent.js'],
        ],
      );
      const { workspaceDefinition: brought } = agents[1] ?? {};
      assert.deepEqual(
        [brought?.name, brought?.file, brought?.setting.url === undefined && brought?.setting.args],
        ['mine', file, ['workspace']],
      );
      assert.ok(agents.filter((agent) => agent.workspaceDefinition).length === 4);
    });

    it('brings nothing with an entry that the user has in the same words', async () => {
      const same = { mine: { args: ['user'], command: 'opencode', env: {} } };
      const { agents } = await load(own, workspace(same));
      assert.deepEqual(
        agents
          .filter(({ source }) => source === 'configured')
          .map(({ id, workspaceDefinition: brought }) => [id, brought]),
        [['mine', undefined]],
      );
    });

    it('tells folders of one name apart, whatever their order, and takes no id of the user', async () => {
      const level = (folder: string): AgentSettingsLevel => ({
        value: { mine: { command: folder } },
        isTrusted: true,
        origin: { name: 'app', file: `/${folder}/app/.vscode/settings.json` },
      });
      const idsOf = async (...levels: AgentSettingsLevel[]): Promise<Map<string, string>> => {
        const { agents } = await load(...levels);
        return new Map(
          agents.flatMap(({ id, command, workspaceDefinition: brought }) => (brought ? [[command, id]] : [])),
        );
      };
      const ids = await idsOf(level('a'), level('b'));
      assert.equal(new Set(ids.values()).size, 2);
      for (const id of ids.values()) assert.match(id, /^mine@app~[0-9a-f]{8}$/);
      assert.deepEqual(await idsOf(level('b'), level('a')), new Map([...ids].reverse()));
      const taken = await idsOf(user({ 'mine@app': { command: 'opencode' } }), level('a'));
      assert.equal(taken.get('a'), ids.get('a'));
      assert.deepEqual(await idsOf(level('a')), new Map([...ids].slice(0, 1)));
    });

    it('does not look at them in an untrusted one', async () => {
      const { agents, problems } = await load(own, workspace({ ...entries, bad: 7 }, 'work', false));
      assert.deepEqual(agents[0]?.args, ['user']);
      assert.ok(!agents.some(({ workspaceDefinition: brought }) => brought));
      assert.deepEqual(problems, []);
    });
  });
});
