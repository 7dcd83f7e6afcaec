import assert from 'node:assert/strict';
import type { OwnAgent } from '../../../../../src/agents/common/page/agentsApi';
import {
  editableAgentNames,
  parseAgentsSetting,
  parseForm,
  toForm,
  withOwnAgent,
  withoutOwnAgent,
} from '../../../../../src/agents/common/page/ownAgentSetting';

const form = (more: Partial<OwnAgent> = {}): OwnAgent => ({
  name: 'Mine',
  commandLine: 'my-agent --acp',
  folder: '',
  dialect: 'v1',
  variables: [],
  defaults: [],
  ...more,
});

describe('the setting of an own agent', () => {
  it('is written with what was entered only', () => {
    assert.deepEqual(withOwnAgent({}, form(), new Set()), { Mine: { command: 'my-agent', args: ['--acp'] } });
    const variables = [
      { name: ' A ', value: '1', isSecret: false },
      { name: 'KEY', value: 's3cret', isSecret: true },
      { name: '', value: '', isSecret: false },
    ];
    assert.deepEqual(withOwnAgent({}, form({ variables, folder: ' /work ', dialect: 'draft' }), new Set()), {
      Mine: { command: 'my-agent', args: ['--acp'], env: { A: '1' }, cwd: '/work', dialect: 'draft' },
    });
  });

  it('has the options of new conversations, with switches as what they are', () => {
    const defaults = [
      { option: ' mode ', value: 'plan ' },
      { option: 'verbose', value: 'true' },
      { option: '', value: '' },
    ];
    const setting = withOwnAgent({}, form({ defaults }), new Set());
    assert.deepEqual(setting['Mine'], {
      command: 'my-agent',
      args: ['--acp'],
      defaults: { mode: 'plan', verbose: true },
    });
    assert.deepEqual(toForm(setting, 'Mine', [])?.defaults, [
      { option: 'mode', value: 'plan' },
      { option: 'verbose', value: 'true' },
    ]);
  });

  it('keeps what the form does not show, its place, and other entries', () => {
    const before = {
      a: { defaults: { mode: 'plan' } },
      Mine: { command: 'old', args: ['x'], env: { A: '1' }, defaults: { mode: 'ask' }, mcpServers: {} },
      z: 7,
    };
    const defaults = [{ option: 'mode', value: 'ask' }];
    const after = withOwnAgent(before, form({ previousName: 'Mine', name: 'New', defaults }), new Set());
    assert.deepEqual(Object.keys(after), ['a', 'New', 'z']);
    assert.deepEqual(after['New'], {
      command: 'my-agent',
      args: ['--acp'],
      defaults: { mode: 'ask' },
      mcpServers: {},
    });
    assert.deepEqual(withoutOwnAgent(after, 'New'), { a: before.a, z: 7 });
  });

  it('reads back into the form, with secrets by their names only', () => {
    const setting = withOwnAgent({}, form({ commandLine: '"a b" c', folder: '~/x' }), new Set());
    assert.deepEqual(toForm(setting, 'Mine', ['KEY']), {
      previousName: 'Mine',
      name: 'Mine',
      commandLine: '"a b" c',
      folder: '~/x',
      dialect: 'v1',
      variables: [{ name: 'KEY', value: '', isSecret: true }],
      defaults: [],
    });
    assert.equal(toForm({ Mine: { defaults: {} } }, 'Mine', []), undefined);
    assert.deepEqual([...editableAgentNames({ a: { command: 'a' }, b: { defaults: {} }, c: 7 })], ['a']);
    assert.deepEqual(parseAgentsSetting([1]), {});
  });

  it('reports what to correct', () => {
    const wrong = (more: Partial<OwnAgent>, message: RegExp): void =>
      assert.throws(() => withOwnAgent({ Old: {} }, form(more), new Set(['claude'])), message);
    wrong({ name: ' ' }, /Enter a name/);
    wrong({ name: 'Old' }, /already an agent with the name “Old”/);
    wrong({ name: 'claude' }, /already an agent/);
    wrong({ commandLine: '  ' }, /Enter the command/);
    wrong({ commandLine: 'a "b' }, /closing "/);
    wrong({ variables: [{ name: 'a-b', value: '', isSecret: false }] }, /“a-b” is not a valid name/);
    wrong({ variables: [{ name: '', value: 'x', isSecret: false }] }, /has no name/);
    const twice = [
      { name: 'A', value: '1', isSecret: false },
      { name: 'A ', value: '2', isSecret: true },
    ];
    wrong({ variables: twice }, /A is listed twice/);
    wrong({ defaults: [{ option: '', value: 'plan' }] }, /“plan” has no name/);
    wrong({ defaults: [{ option: 'mode', value: ' ' }] }, /Enter a value for the option “mode”/);
    const options = [
      { option: 'mode', value: 'plan' },
      { option: 'mode ', value: 'ask' },
    ];
    wrong({ defaults: options }, /The option “mode” is listed twice/);
    // Names that every object has are free.
    assert.ok(withOwnAgent({}, form({ name: 'constructor' }), new Set()));
  });

  it('does not take an empty secret for a new one', () => {
    const variables = [
      { name: 'OLD', value: '', isSecret: true },
      { name: 'NEW', value: 'x', isSecret: true },
    ];
    const { newSecrets, secretNames } = parseForm(form({ variables }));
    assert.deepEqual([newSecrets, secretNames], [{ NEW: 'x' }, ['OLD', 'NEW']]);
  });
});
