import assert from 'node:assert/strict';
import { AgentOptions } from '../../../../src/chat/common/page/agentOptions';
import { MemoryMemento } from '../../../fake/memoryMemento';

describe('AgentOptions: stored choices', () => {
  const fail = (error: unknown): void => {
    throw error;
  };

  it('drops choices made for another command line under the same agent id', () => {
    const memento = new MemoryMemento();
    const open = (description: string): AgentOptions => {
      const options = new AgentOptions('mine', { memento, onChange: () => undefined, onError: fail });
      options.setView({ id: 'mine', title: 'mine', description, source: 'configured', state: 'stopped' });
      options.recordOfferedOptions([
        {
          id: 'mode',
          name: 'Mode',
          category: 'mode',
          type: 'select',
          value: 'ask',
          choices: [
            { value: 'ask', name: 'Ask' },
            { value: 'free', name: 'Free' },
          ],
        },
      ]);
      return options;
    };
    const valuesOf = (description: string) => open(description).choicesForNewSession.map(({ value }) => value);
    open('one').choose('mode', 'free');
    assert.deepEqual(valuesOf('one'), ['free']);
    assert.deepEqual(valuesOf('two'), ['ask']);
    assert.deepEqual(valuesOf('one'), ['ask']);
  });
});
