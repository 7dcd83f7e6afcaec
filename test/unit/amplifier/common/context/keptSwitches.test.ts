import assert from 'node:assert/strict';
import { keptSwitches } from '../../../../../src/amplifier/common/context/keptSwitches';

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
    const switches = keptSwitches(memento, throwIt);
    assert.equal(switches.isOn('git'), true);
    switches.set('git', false);
    const again = keptSwitches(memento, throwIt);
    assert.equal(again.isOn('git'), false);
    assert.equal(again.isOn('selection'), true);
  });

  it('are all on when what was kept makes no sense', () => {
    const switches = keptSwitches({ get: () => ['git', 7], update: () => Promise.resolve() }, throwIt);
    assert.deepEqual(switches.switchedOff, []);
  });
});
