import assert from 'node:assert/strict';
import { ConfigOptions } from '../../../../../src/acp/common/session/configOptions';
import { highestUnattendedAction } from '../../../../../src/session/common/optionChoices';

describe('the badge of an agent that runs without asking', () => {
  const modes = {
    currentModeId: 'build',
    availableModes: [
      { id: 'build', name: 'build' },
      { id: 'yolo', name: 'yolo' },
      { id: 'autoEdit', name: 'Auto edit' },
    ],
  };

  it('goes once the agent has asked in this mode, and stays for others', () => {
    const config = new ConfigOptions(() => 'opencode');
    config.applySetup({ modes });
    assert.equal(highestUnattendedAction(config.options), 'runs');
    assert.equal(config.recordAskedApproval(), true);
    assert.equal(highestUnattendedAction(config.options), undefined);
    assert.equal(config.recordAskedApproval(), false);
    config.setMode('yolo');
    assert.equal(highestUnattendedAction(config.options), 'runs');
  });

  it('stays for edits, since the agent still asks for other things', () => {
    const config = new ConfigOptions(() => undefined);
    config.applySetup({ modes: { ...modes, currentModeId: 'autoEdit' } });
    assert.equal(config.recordAskedApproval(), false);
    assert.equal(highestUnattendedAction(config.options), 'edits');
  });
});
