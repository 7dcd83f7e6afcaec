import assert from 'node:assert/strict';
import { knownAgents } from '../../../../../src/acp/common/catalogue/knownAgents';
import { ampPolicyId } from '../../../../../src/amp/common/ampPolicy';
import { allAgentsKey, mcpClientPolicyId } from '../../../../../src/permissions/common/policy/policyKinds';
import { parseAgentSettings } from '../../../../../src/acp/common/catalogue/agentSettings';

describe('backline.acp.agents', () => {
  it('needs only a command', () => {
    const { agents, problems } = parseAgentSettings({ mine: { command: 'my-agent' } });
    assert.deepEqual(agents.get('mine'), { command: 'my-agent', args: [], env: {}, dialect: 'v1', mcpServers: {} });
    assert.deepEqual(problems, []);
  });

  it('accepts all members of an agent', () => {
    const mine = {
      command: '/opt/agent',
      args: ['--acp'],
      env: { KEY: 'value' },
      cwd: '/work',
      dialect: 'draft',
      protocol: '2',
      defaults: { mode: 'plan', model: 'large', web: true },
      tools: false,
      mcpServers: {
        files: { command: 'mcp-files', args: ['.'], env: {} },
        web: { type: 'http', url: 'https://mcp.example/v1', headers: { 'X-Key': 'k' } },
        events: { type: 'sse', url: 'http://127.0.0.1:9000/sse', headers: {} },
      },
    };
    assert.deepEqual(parseAgentSettings({ mine }).agents.get('mine'), mine);
  });

  it('leaves out a wrong entry, reports which one and why, and keeps the others', () => {
    const { agents, problems } = parseAgentSettings({
      good: { command: 'a' },
      noCommand: { args: [] },
      badArgs: { command: 'a', args: '--acp' },
      badProtocol: { command: 'a', protocol: 2 },
      badDefaults: { command: 'a', defaults: { mode: 1 } },
      badServer: { command: 'a', mcpServers: { web: { type: 'http', url: 'not a url' } } },
      notAnObject: 'a',
    });
    assert.deepEqual([...agents.keys()], ['good']);
    assert.deepEqual(
      problems.map((problem) => /Agent '(\w+)'/.exec(problem)?.[1]),
      ['noCommand', 'badArgs', 'badProtocol', 'badDefaults', 'badServer', 'notAnObject'],
    );
    assert.match(problems[0] ?? '', /Agent 'noCommand' in backline\.acp\.agents: command: /);
    assert.match(problems[1] ?? '', /args: /);
  });

  it('has no agent with the name of something else in the permissions, whose answers it would share', () => {
    for (const name of [ampPolicyId, mcpClientPolicyId, allAgentsKey]) {
      const { agents, problems } = parseAgentSettings({ [name]: { command: 'a' }, good: { command: 'b' } });
      assert.deepEqual([...agents.keys()], ['good']);
      assert.match(problems.join(), /this name is used in backline\.permissions/);
      assert.equal(parseAgentSettings({ [name]: { defaults: {} } }).found.size, 0);
      assert.ok(knownAgents.every(({ id }) => id !== name));
      assert.ok(parseAgentSettings({ [name]: { command: 'a' } }, true).agents.has(name), 'its id is longer');
    }
  });

  for (const value of [undefined, null]) {
    it(`has no agents and no problems when it is ${String(value)}`, () => {
      assert.deepEqual(parseAgentSettings(value), { agents: new Map(), found: new Map(), problems: [] });
    });
  }

  it('takes an entry without a command for an agent that is found or installed, from the user alone', () => {
    const value = {
      gemini: { defaults: { mode: 'plan' } },
      'demo-agent': { defaults: {}, tools: true },
      codex: { tools: false },
    };
    const { agents, found, problems } = parseAgentSettings(value);
    assert.deepEqual(Object.fromEntries(found), value);
    assert.deepEqual([agents.size, problems], [0, []]);
    const ofWorkspace = parseAgentSettings(value, true);
    assert.equal(ofWorkspace.found.size, 0);
    assert.match(
      ofWorkspace.problems[0] ?? '',
      /'gemini'.*"defaults" and "tools" without a "command" work only in user settings. Move this entry there/,
    );
  });

  it('needs a command of an agent that nobody finds, and beside anything but defaults and tools', () => {
    for (const value of [
      { mine: { defaults: { mode: 'plan' } } },
      { mine: { tools: false } },
      { gemini: { defaults: {}, env: {} } },
      { gemini: { tools: 'no' } },
      { gemini: {} },
    ]) {
      const { agents, found, problems } = parseAgentSettings(value);
      assert.deepEqual([agents.size, found.size, problems.length], [0, 0, 1]);
      assert.match(problems[0] ?? '', /command/);
    }
  });

  for (const value of [[], 'agent', 7]) {
    it(`reports what it should be when it is ${JSON.stringify(value)}`, () => {
      const { agents, problems } = parseAgentSettings(value);
      assert.equal(agents.size, 0);
      assert.match(problems[0] ?? '', /must be an object/);
    });
  }
});
