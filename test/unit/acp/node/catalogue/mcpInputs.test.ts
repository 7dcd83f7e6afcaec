import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/common/log';
import { inputsNamedIn, parseMcpInputs, type McpInput } from '../../../../../src/acp/common/catalogue/mcpInputs';
import { McpInputStore } from '../../../../../src/acp/common/catalogue/mcpInputStore';
import { McpInputAnswers } from '../../../../../src/acp/node/catalogue/mcpInputAnswers';
import { FakeSecrets } from '../../../../fake/fakeSecrets';
import { MemoryMemento } from '../../../../fake/memoryMemento';

describe('the inputs of MCP servers', () => {
  it('are read as VS Code documents them, and what is not supported has a reason', () => {
    const inputs = parseMcpInputs([
      { type: 'promptString', id: 'key', description: 'API key', password: true },
      { type: 'pickString', id: 'region', options: ['eu', { label: 'America', value: 'us' }], default: 'us' },
      { type: 'command', id: 'run', command: 'workbench.action.quit' },
      { type: 'pickString', id: 'empty', options: [] },
      { type: 'other', id: 'other' },
      { type: 'promptString' },
      'text',
    ]);
    assert.deepEqual(inputs.get('key'), { type: 'promptString', id: 'key', description: 'API key', password: true });
    assert.deepEqual(inputs.get('region'), {
      ...{ type: 'pickString', id: 'region', description: '', default: 'us' },
      options: [
        { label: 'eu', value: 'eu' },
        { label: 'America', value: 'us' },
      ],
    });
    const reasons = ['run', 'empty', 'other'].map((id) => inputs.get(id));
    assert.match(
      JSON.stringify(reasons),
      /^\["the input \\"run\\" runs a command.*","the input \\"empty\\" is neither.*"other\\" is neither/,
    );
    assert.equal(inputs.size, 5);
    assert.equal(parseMcpInputs({ id: 'x' }).size, 0);
  });

  it('are named once each, in their order', () => {
    const entry = { args: ['--a=${input:a}', '${input:b c}'], env: { X: '${input:a}${env:b}', Y: '${input:d' } };
    assert.deepEqual(inputsNamedIn(entry), ['a', 'b c']);
    assert.deepEqual(inputsNamedIn({ args: ['${input:a "b" \\c}', '${input:open', '}'] }), ['a "b" \\c']);
  });

  describe('are asked for', () => {
    const key: McpInput = { type: 'promptString', id: 'key', description: '', password: true };
    let secrets: FakeSecrets;
    let memento: MemoryMemento;
    let asked: string[];
    let answer: string | undefined;
    let answers: McpInputAnswers;
    const open = (): void => {
      answers = new McpInputAnswers({
        store: new McpInputStore({ secrets, memento, log: nullLogger }),
        ask: ({ id }, file) => {
          asked.push(`${file} ${id}`);
          return Promise.resolve(answer);
        },
        log: nullLogger,
      });
    };
    beforeEach(() => {
      [secrets, memento, asked, answer] = [new FakeSecrets(), new MemoryMemento(), [], 'secret'];
      open();
    });

    it('once for each file, also by several sessions at the same time and in the next window', async () => {
      assert.deepEqual(await Promise.all([answers.valueOf(key, '/a'), answers.valueOf(key, '/a')]), [
        'secret',
        'secret',
      ]);
      open();
      assert.equal(await answers.valueOf(key, '/a'), 'secret');
      assert.equal(await answers.valueOf(key, '/b'), 'secret');
      assert.deepEqual(asked, ['/a key', '/b key']);
    });

    it('again when they are defined in another way, and when they are forgotten', async () => {
      await answers.valueOf(key, '/a');
      await answers.valueOf({ ...key, description: 'Another key' }, '/a');
      await answers.forget();
      await answers.valueOf(key, '/a');
      assert.equal(asked.length, 3);
    });

    it('not again in this window when the question was closed, unless that is forgotten', async () => {
      answer = undefined;
      assert.equal(await answers.valueOf(key, '/a'), undefined);
      answer = '';
      assert.equal(await answers.valueOf(key, '/a'), undefined);
      await answers.forget();
      assert.equal(await answers.valueOf(key, '/a'), '');
      assert.equal(await answers.valueOf(key, '/a'), '', 'an empty text is an answer');
      assert.equal(asked.length, 2);
    });

    it('and are only in the secret storage', async () => {
      await answers.valueOf({ ...key, password: false }, '/a');
      assert.doesNotMatch(JSON.stringify([...memento.values]), /secret/);
    });
  });
});
