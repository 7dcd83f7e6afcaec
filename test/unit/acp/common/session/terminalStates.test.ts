import assert from 'node:assert/strict';
import { TerminalStates } from '../../../../../src/acp/common/session/terminalStates';

describe('the output of terminals', () => {
  const running = { output: 'ours', truncated: false };

  it('of those that Backline runs can never be changed by the agent, however many it invents', () => {
    const states = new TerminalStates(1_000);
    states.set('ours', running, true);
    for (let count = 0; count < 200; count++) states.append(`invented ${count}`, 'x');
    states.dropEndedAndExcess();
    assert.equal(states.get('ours').output, 'ours');
    states.append('ours', ' and a lie');
    states.setExit('ours', 0, null);
    assert.deepEqual(states.get('ours'), running);
    assert.equal(states.get('invented 0').output, '');
    assert.equal(states.get('invented 199').output, 'x');
  });

  it('of those that Backline has run cannot be invented later', () => {
    const states = new TerminalStates(1_000);
    states.set('ours', { ...running, exit: { code: 1, signal: null } }, true);
    states.dropEndedAndExcess();
    states.append('ours', 'a lie');
    states.setExit('ours', 0, null);
    assert.deepEqual(states.get('ours'), { output: '', truncated: false });
  });
});
