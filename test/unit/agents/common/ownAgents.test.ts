import assert from 'node:assert/strict';
import { OwnAgents } from '../../../../src/agents/common/ownAgents';
import type { TryAgent } from '../../../../src/agents/common/agentPorts';
import type { OwnAgent } from '../../../../src/agents/common/page/agentsApi';
import { FakeAgentSecrets } from '../../../fake/acp/fakeAgents';

describe('own agents', () => {
  let setting: unknown;
  let secrets: FakeAgentSecrets;
  let tried: Parameters<TryAgent>[0][];
  let stopped: string[];
  let answer: () => Promise<Awaited<ReturnType<TryAgent>>>;
  let own: OwnAgents;
  const { signal } = new AbortController();

  const form = (more: Partial<OwnAgent> = {}): OwnAgent => ({
    name: 'Mine',
    commandLine: 'my-agent --acp',
    folder: '',
    dialect: 'v1',
    variables: [{ name: 'KEY', value: 's3cret', isSecret: true }],
    defaults: [],
    ...more,
  });

  beforeEach(() => {
    setting = undefined;
    secrets = new FakeAgentSecrets();
    tried = [];
    stopped = [];
    answer = () => Promise.resolve({ title: 'My Agent', version: '2.0.0' });
    own = new OwnAgents({
      readSetting: () => setting,
      writeSetting: (value) => {
        setting = value;
        return Promise.resolve();
      },
      secrets,
      tryAgent: (program) => {
        tried.push(program);
        return answer();
      },
      stopAgent: (name) => {
        stopped.push(name);
        return Promise.resolve();
      },
      resolveFolder: (folder) => `/work/${folder}`,
    });
  });

  it('are tried with their secrets, and say their name and version', async () => {
    assert.deepEqual(await own.test(form({ folder: 'sub' }), signal), {
      isWorking: true,
      message: 'It works: My Agent 2.0.0 responded.',
    });
    assert.deepEqual(tried, [
      { command: 'my-agent', args: ['--acp'], env: {}, secretEnv: { KEY: 's3cret' }, cwd: '/work/sub' },
    ]);
  });

  it('that do not work say why in words', async () => {
    answer = () => Promise.reject(new Error("'my-agent' was not found on your PATH."));
    assert.deepEqual(await own.test(form(), signal), {
      isWorking: false,
      message: "'my-agent' was not found on your PATH.",
    });
    assert.match((await own.test(form({ commandLine: '' }), signal)).message, /Enter the command/);
    assert.equal(tried.length, 1);
  });

  it('of the draft protocol are not tried, as it has no handshake', async () => {
    const { isWorking, message } = await own.test(form({ dialect: 'draft' }), signal);
    assert.equal(isWorking, true);
    assert.match(message, /has no test/);
    assert.deepEqual(tried, []);
  });

  it('keep their secrets out of the settings', async () => {
    await own.save(form(), new Set());
    assert.deepEqual(setting, { Mine: { command: 'my-agent', args: ['--acp'] } });
    assert.deepEqual(secrets.values.get('Mine'), { KEY: 's3cret' });
    assert.deepEqual([...own.names], ['Mine']);
    assert.deepEqual((await own.read('Mine')).variables, [{ name: 'KEY', value: '', isSecret: true }]);
  });

  it('keep a stored secret that was not typed again, also under a new name, and when tried', async () => {
    await own.save(form(), new Set());
    const edited = form({
      previousName: 'Mine',
      name: 'Other',
      variables: [{ name: 'KEY', value: '', isSecret: true }],
    });
    await own.test(edited, signal);
    assert.deepEqual(tried[0]?.secretEnv, { KEY: 's3cret' });
    await own.save(edited, new Set(['Mine']));
    assert.deepEqual([...secrets.values], [['Other', { KEY: 's3cret' }]]);
    assert.deepEqual(secrets.copied, [['Mine', 'Other']]);
    assert.deepEqual([...own.names], ['Other']);
  });

  it('lose a secret that is no longer one', async () => {
    await own.save(form(), new Set());
    await own.save(form({ previousName: 'Mine', variables: [] }), new Set(['Mine']));
    assert.deepEqual(secrets.values.get('Mine'), {});
  });

  it('do not take the name of another agent', async () => {
    await assert.rejects(own.save(form({ name: 'claude' }), new Set(['claude'])), /already an agent/);
    assert.equal(secrets.values.size, 0);
  });

  it('are removed with their secrets, and stop at once', async () => {
    await own.save(form(), new Set());
    await own.remove('Mine');
    assert.deepEqual([setting, secrets.values.size, stopped], [{}, 0, ['Mine']]);
    await assert.rejects(own.read('Mine'), /There is no agent “Mine”/);
  });
});
