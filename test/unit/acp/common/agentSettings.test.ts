import assert from 'node:assert/strict';
import { parseAgentSettings } from '../../../../src/acp/common/agentSettings';

describe('backline.acp.agents', () => {
  it('needs only a command', () => {
    const { agents, problems } = parseAgentSettings({ mine: { command: 'my-agent' } });
    assert.deepEqual(agents.get('mine'), { command: 'my-agent', args: [], env: {}, dialect: 'v1', mcpServers: {} });
    assert.deepEqual(problems, []);
  });

  it('takes everything that can be said of an agent', () => {
    const mine = {
      command: '/opt/agent',
      args: ['--acp'],
      env: { KEY: 'value' },
      cwd: '/work',
      dialect: 'draft',
      defaults: { mode: 'plan', model: 'large', web: true },
      mcpServers: {
        files: { command: 'mcp-files', args: ['.'], env: {} },
        web: { type: 'http', url: 'https://mcp.example/v1', headers: { 'X-Key': 'k' } },
        events: { type: 'sse', url: 'http://127.0.0.1:9000/sse', headers: {} },
      },
    };
    assert.deepEqual(parseAgentSettings({ mine }).agents.get('mine'), mine);
  });

  it('leaves out a wrong entry, says which one and why, and keeps the others', () => {
    const { agents, problems } = parseAgentSettings({
      good: { command: 'a' },
      noCommand: { args: [] },
      badArgs: { command: 'a', args: '--acp' },
      badDefaults: { command: 'a', defaults: { mode: 1 } },
      badServer: { command: 'a', mcpServers: { web: { type: 'http', url: 'not a url' } } },
      notAnObject: 'a',
    });
    assert.deepEqual([...agents.keys()], ['good']);
    assert.deepEqual(
      problems.map(({ name }) => name),
      ['noCommand', 'badArgs', 'badDefaults', 'badServer', 'notAnObject'],
    );
    assert.match(problems[0]?.message ?? '', /Agent 'noCommand' in backline\.acp\.agents: command: /);
    assert.match(problems[1]?.message ?? '', /args: /);
  });

  for (const value of [undefined, null]) {
    it(`has no agents and no problems when it is ${String(value)}`, () => {
      assert.deepEqual(parseAgentSettings(value), { agents: new Map(), problems: [] });
    });
  }

  for (const value of [[], 'agent', 7]) {
    it(`says what it should be when it is ${JSON.stringify(value)}`, () => {
      const { agents, problems } = parseAgentSettings(value);
      assert.equal(agents.size, 0);
      assert.match(problems[0]?.message ?? '', /must be an object/);
    });
  }
});
