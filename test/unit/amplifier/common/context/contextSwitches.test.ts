import assert from 'node:assert/strict';
import { restoreContextSwitches } from '../../../../../src/amplifier/common/context/contextSwitches';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('the switches of the context', () => {
  it('are kept as the user left them', () => {
    const memory = new Map<string, unknown>();
    const memento = {
      get: (name: string) => memory.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void memory.set(name, value)),
    };
    const switches = restoreContextSwitches(memento, throwIt);
    assert.equal(switches.isEnabled('git'), true);
    switches.setEnabled('git', false);
    const again = restoreContextSwitches(memento, throwIt);
    assert.equal(again.isEnabled('git'), false);
    assert.equal(again.isEnabled('selection'), true);
  });

  it('are all on if the stored value is invalid', () => {
    const switches = restoreContextSwitches({ get: () => ['git', 7], update: () => Promise.resolve() }, throwIt);
    assert.deepEqual(switches.disabledKinds, []);
  });
});
