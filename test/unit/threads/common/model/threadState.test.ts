import assert from 'node:assert/strict';
import { threadState } from '../../../../../src/threads/common/model/threadState';

const result = (status: string) => [
  { role: 'assistant', state: { type: 'complete', stopReason: 'tool_use' }, content: [{ type: 'tool_use', id: 'a' }] },
  { role: 'user', content: [{ type: 'tool_result', toolUseID: 'a', run: { status } }] },
];

describe('the state of a thread', () => {
  it('is waiting while the user is asked, however long that takes', () => {
    assert.equal(threadState(result('blocked-on-user'), true), 'waiting');
    assert.equal(threadState(result('blocked-on-user'), false), 'waiting');
  });

  it('is not waiting when the turn was stopped meanwhile', () => {
    const [answer, asked] = result('blocked-on-user');
    assert.equal(threadState([{ ...answer, state: { type: 'cancelled' } }, asked], true), 'cancelled');
  });

  it('is running only while its file is fresh', () => {
    assert.equal(threadState(result('in-progress'), true), 'running');
    assert.equal(threadState(result('in-progress'), false), 'stale');
  });
});
