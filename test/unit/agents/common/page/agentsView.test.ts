import assert from 'node:assert/strict';
import type { InstalledAgent } from '../../../../../src/agents/common/install/agentInstall';
import type { AgentCard } from '../../../../../src/agents/common/page/agentsApi';
import type { AgentsSituation, ListedBackend } from '../../../../../src/agents/common/page/agentsSituation';
import { agentsView } from '../../../../../src/agents/common/page/agentsView';
import type { RegistryAgent } from '../../../../../src/agents/common/registry/registryAgent';

const listed = (id: string, more: Partial<RegistryAgent> = {}): RegistryAgent => ({
  id,
  name: id.toUpperCase(),
  version: '2.0.0',
  description: `What ${id} is`,
  authors: ['Ada'],
  license: 'MIT',
  repository: `https://example.com/${id}`,
  distributions: [{ kind: 'npx', package: `@x/${id}@2.0.0`, args: [], env: {} }],
  ...more,
});

const installed = (id: string, version = '2.0.0'): InstalledAgent => ({
  id,
  name: id.toUpperCase(),
  version,
  kind: 'npx',
  package: `@x/${id}`,
  command: '/node',
  args: [`/agents/${id}/${version}/bin.js`],
  env: {},
  terms: { kind: 'npx', source: `@x/${id}`, command: '', args: [], env: {} },
  folder: `/agents/${id}/${version}`,
  bytes: 1000,
  installedAt: 0,
});

const backend = (id: string, more: Partial<ListedBackend> = {}): ListedBackend => ({
  id,
  title: id,
  source: 'installed',
  description: `${id} acp`,
  state: undefined,
  ...more,
});

const situation = (more: Partial<AgentsSituation> = {}): AgentsSituation => ({
  registry: { agents: [listed('one'), listed('two')], origin: 'registry', checkedAt: 0 },
  isChecking: false,
  installed: [],
  jobs: new Map(),
  backends: [],
  ownIds: new Set(),
  outdated: new Set(),
  isTrusted: true,
  platform: 'linux-x86_64',
  backendIdOf: ({ id }) => id,
  ...more,
});

const cardsOf = (more: Partial<AgentsSituation>): readonly AgentCard[] => agentsView(situation(more)).cards;
const cardOf = (key: string, more: Partial<AgentsSituation>): AgentCard => {
  const card = cardsOf(more).find((other) => other.key === key);
  assert.ok(card, key);
  return card;
};
const kindsOf = ({ actions }: AgentCard): string[] => actions.map(({ kind }) => kind);

describe('the cards of agents', () => {
  it('offer what the registry lists, with all that is known of it', () => {
    assert.deepEqual(cardOf('registry:one', {}), {
      key: 'registry:one',
      group: 'others',
      backendId: 'one',
      name: 'ONE',
      description: 'What one is',
      facts: ['Ada', 'MIT', 'version 2.0.0'],
      origin: 'npm: @x/one',
      keywords: 'one',
      state: { kind: 'available', text: 'Not installed' },
      actions: [
        { kind: 'install', label: 'Install' },
        { kind: 'openWebsite', label: 'Open Website' },
      ],
    });
  });

  it('keep their key and change their group when an agent is installed', () => {
    const card = cardOf('registry:one', { installed: [installed('one')], backends: [backend('one')] });
    assert.equal(card.group, 'here');
    assert.deepEqual(card.state, { kind: 'installed', text: 'Installed' });
    assert.deepEqual(kindsOf(card), ['chat', 'addAccount', 'remove', 'openWebsite']);
    assert.equal(cardsOf({ installed: [installed('one')], backends: [backend('one')] }).length, 2);
  });

  it('show an installation with its progress, and what went wrong with what to do', () => {
    const running = cardOf('registry:one', {
      jobs: new Map([['one', { kind: 'installing', stage: 'Downloading…', fraction: 0.5 }]]),
    });
    assert.deepEqual(running.state, { kind: 'installing', text: 'Downloading…', fraction: 0.5 });
    assert.deepEqual(kindsOf(running), ['cancel', 'openWebsite']);
    const failed = cardOf('registry:one', {
      jobs: new Map([['one', { kind: 'failed', message: 'The disk is full.', advice: 'Free some space.' }]]),
    });
    assert.deepEqual(failed.state, { kind: 'broken', text: 'The disk is full.', advice: 'Free some space.' });
    assert.equal(failed.actions[0]?.label, 'Try Again…');
  });

  it('name what is installed where the registry lists another program with the same id', () => {
    const distributions = [{ kind: 'npx', package: '@eve/one@3.0.0', args: [], env: {} }] as const;
    const other = listed('one', { version: '3.0.0', authors: ['Eve'], license: 'X', distributions });
    const card = cardOf('registry:one', {
      registry: { agents: [other], origin: 'registry', checkedAt: 0 },
      ...{ installed: [installed('one')], backends: [backend('one')] },
    });
    assert.deepEqual([card.origin, card.facts, card.description], ['npm: @x/one', ['version 2.0.0'], '']);
    const text = 'Update available: version 3.0.0, from another source (npm: @eve/one)';
    assert.deepEqual(card.state, { kind: 'update', text });
    assert.deepEqual(kindsOf(card), ['update', 'chat', 'addAccount', 'remove']);
  });

  it('offer an update only to a newer version', () => {
    const at = (version: string): AgentCard =>
      cardOf('registry:one', { installed: [installed('one', version)], backends: [backend('one')] });
    assert.deepEqual(at('1.9.9').state, { kind: 'update', text: 'Update available: version 2.0.0' });
    assert.deepEqual(kindsOf(at('1.9.9')), ['update', 'chat', 'addAccount', 'remove', 'openWebsite']);
    assert.equal(at('2.0.1').state.kind, 'installed');
    assert.equal(at('2.0.0').state.kind, 'installed');
  });

  it('have one for each account, with its own state, which is updated and removed with its agent', () => {
    const agent = { ...installed('one', '1.0.0'), accounts: ['Work'] };
    const view = {
      installed: [agent],
      backends: [backend('one'), backend('one~Work', { title: 'ONE (Work)', needsSignIn: true })],
      backendIdOf: ({ account, id }: { id: string; account?: string | undefined }) =>
        account === undefined ? id : `${id}~${account}`,
    };
    assert.deepEqual(kindsOf(cardOf('registry:one', view)), ['update', 'chat', 'addAccount', 'remove', 'openWebsite']);
    const card = cardOf('registry:one~Work', view);
    assert.deepEqual([card.name, card.group, card.state.kind], ['ONE (Work)', 'here', 'signIn']);
    assert.deepEqual(kindsOf(card), ['signIn', 'chat', 'removeAccount', 'openWebsite']);
    const jobs = new Map([['one', { kind: 'installing', stage: 'Downloading' } as const]]);
    assert.equal(cardOf('registry:one~Work', { ...view, jobs }).state.kind, 'signIn');
  });

  it('lead to the LLM providers of agents that are known to have some, also if they do not start', () => {
    for (const [state, kinds] of [
      [{ kind: 'ready' }, ['chat', 'restart', 'llmProviders']],
      [
        { kind: 'failed', message: 'Its LLM provider did not accept the address.' },
        ['restart', 'chat', 'llmProviders'],
      ],
    ] as const) {
      const one = backend('one', { source: 'configured', state, hasLlmProviders: true });
      assert.deepEqual(kindsOf(cardOf('backend:one', { backends: [one] })), kinds);
    }
    const untrusted = backend('one', { source: 'configured', hasLlmProviders: true });
    assert.deepEqual(kindsOf(cardOf('backend:one', { backends: [untrusted], isTrusted: false })), []);
    assert.ok(
      !kindsOf(cardOf('backend:one', { backends: [backend('one', { source: 'configured' })] })).includes(
        'llmProviders',
      ),
    );
  });

  it('ask for a restart where an older version runs', () => {
    const card = cardOf('registry:one', {
      installed: [installed('one')],
      backends: [backend('one', { state: { kind: 'ready' } })],
      outdated: new Set(['one']),
    });
    assert.deepEqual(card.state, { kind: 'update', text: 'Restart to use version 2.0.0' });
    assert.equal(kindsOf(card)[0], 'restart');
  });

  it('lead to a sign-in, whether the agent has asked for it or is known to', () => {
    const states = [
      backend('one', { state: { kind: 'authRequired', message: 'Sign in.', methods: [] } }),
      backend('one', { needsSignIn: true }),
    ];
    for (const one of states) {
      const card = cardOf('registry:one', { installed: [installed('one')], backends: [one] });
      assert.deepEqual(card.state, { kind: 'signIn', text: 'Sign-in required' });
      assert.equal(kindsOf(card)[0], 'signIn');
    }
  });

  it('report that a failed agent can be restarted', () => {
    const state = { kind: 'failed', message: 'It exited.' } as const;
    const card = cardOf('registry:one', { installed: [installed('one')], backends: [backend('one', { state })] });
    assert.deepEqual(card.state, { kind: 'broken', text: 'It exited.', advice: 'Restart it to try again.' });
    assert.equal(kindsOf(card)[0], 'restart');
  });

  it('join one that was found on PATH with what the registry says, and offer to install it', () => {
    const cards = cardsOf({ backends: [backend('one', { source: 'found' })] });
    assert.deepEqual(
      cards.map(({ group, key }) => [group, key]),
      [
        ['here', 'backend:one'],
        ['others', 'registry:two'],
      ],
    );
    assert.equal(cards[0]?.description, 'What one is');
    assert.equal(cards[0].origin, 'one acp');
    assert.deepEqual(kindsOf(cards[0]), ['chat', 'install', 'openWebsite']);
  });

  it('are in three sections: what is here with the demo agent last, the popular ones in a fixed order, and the rest by name', () => {
    const agents = ['zeta', 'opencode', 'Alpha', 'claude-acp', 'one'].map((id) => listed(id));
    const cards = cardsOf({
      registry: { agents, origin: 'registry' },
      backends: [backend('demo', { source: 'demo' }), backend('found', { source: 'found' }), backend('one')],
      installed: [installed('one')],
      backendIdOf: ({ id }) => (id === 'claude-acp' ? 'claude' : id),
    });
    assert.deepEqual(
      cards.map(({ backendId, group }) => `${group} ${backendId}`),
      ['here one', 'here found', 'here demo', 'popular claude', 'popular opencode', 'others Alpha', 'others zeta'],
    );
  });

  it('count a program as popular by its source, not by the id or name that a registry gives it', () => {
    const agents = [listed('claude', { name: 'Claude' })];
    const card = cardOf('registry:claude', {
      registry: { agents, origin: 'registry' },
      backendIdOf: ({ id, terms }) => `${id}@${terms.kind}:${terms.source ?? ''}`,
    });
    assert.equal(card.group, 'others');
  });

  it('call no agent ready that has not started, because it may need a sign-in', () => {
    const text = (source: ListedBackend['source']): string =>
      cardOf('backend:two', { backends: [backend('two', { source })] }).state.text;
    assert.deepEqual(
      [text('found'), text('configured'), text('demo')],
      ['Found on your PATH', 'Added in settings', 'Ready'],
    );
  });

  it('let agents of the user settings be edited and removed, and those of a workspace be allowed', () => {
    const own = backend('mine', { source: 'configured' });
    const theirs = backend('theirs', { source: 'configured', needsPermission: true, problem: 'Not allowed yet.' });
    const more = { backends: [own, theirs], ownIds: new Set(['mine']) };
    assert.deepEqual(kindsOf(cardOf('backend:mine', more)), ['chat', 'edit', 'remove']);
    assert.deepEqual(kindsOf(cardOf('backend:theirs', more)), ['allow']);
    assert.equal(cardOf('backend:theirs', more).state.kind, 'signIn');
  });

  it('keep an installed agent removable that the settings replace', () => {
    const card = cardOf('registry:one', {
      installed: [installed('one')],
      backends: [backend('one', { source: 'configured' })],
    });
    assert.match(card.state.text, /in your settings is used instead/);
    assert.deepEqual(kindsOf(card), ['remove', 'openWebsite']);
  });

  it('start and install nothing in an untrusted workspace', () => {
    const more = {
      isTrusted: false,
      installed: [installed('one')],
      backends: [backend('one', { problem: 'Untrusted.' })],
    };
    const card = cardOf('registry:one', more);
    assert.deepEqual(kindsOf(card), ['remove', 'openWebsite']);
    assert.deepEqual(card.state, { kind: 'installed', text: 'Starts only in a workspace that you trust' });
    assert.deepEqual(kindsOf(cardOf('registry:two', more)), ['openWebsite']);
    assert.equal(agentsView(situation(more)).isUntrusted, true);
  });

  it('leave out what has no program for this system', () => {
    const binary = (id: string, target: 'darwin-aarch64' | 'linux-x86_64'): RegistryAgent =>
      listed(id, {
        distributions: [
          {
            kind: 'binary',
            targets: { [target]: { archive: 'https://downloads.example/a.tgz', cmd: './a', args: [], env: {} } },
          },
        ],
      });
    const agents = [
      binary('mac', 'darwin-aarch64'),
      binary('linux', 'linux-x86_64'),
      listed('none', { distributions: [] }),
    ];
    const cards = cardsOf({ registry: { agents, origin: 'cache' } });
    assert.deepEqual(
      cards.map(({ key, origin }) => [key, origin]),
      [['registry:linux', 'Download from downloads.example']],
    );
  });

  it('show hidden characters of what others have written', () => {
    const agents = [listed('one', { name: 'ev\u202eil', description: 'two\nlines' })];
    const card = cardOf('registry:one', { registry: { agents, origin: 'registry' } });
    assert.ok(!card.name.includes('\u202e'));
    assert.equal(card.description, 'two\\nlines');
  });

  it('say when the list was checked, and why it could not be', () => {
    const { registry } = agentsView(situation());
    assert.match(registry.checked, /^List checked on Jan 1, 1970/);
    const problem = 'The registry is not reachable.';
    const snapshot = agentsView(situation({ registry: { agents: [], origin: 'snapshot', problem } })).registry;
    assert.equal(snapshot.checked, 'Showing the list that ships with Backline');
    assert.equal(snapshot.problem, problem);
    const offline = { agents: [], origin: 'snapshot', problem, isOffline: true } as const;
    const said = agentsView(situation({ registry: offline })).registry;
    assert.deepEqual([said.checked, said.problem], ['Offline. Showing the list that ships with Backline', undefined]);
    const cached = agentsView(situation({ registry: { ...offline, origin: 'cache', checkedAt: 0 } })).registry;
    assert.match(cached.checked, /^Offline\. List checked on Jan 1, 1970/);
  });
});
