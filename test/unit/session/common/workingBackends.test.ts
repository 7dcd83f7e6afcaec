import assert from 'node:assert/strict';
import { WorkingBackends } from '../../../../src/session/common/workingBackends';
import { FakeSession } from '../../../fake/fakeBackend';
import { eventually } from '../../../support/eventually';

class Working extends FakeSession {
  override isBusy = false;
}

describe('backends that work', () => {
  it('are those with a session whose turn runs, until it is closed', async () => {
    let ends = 0;
    const working = new WorkingBackends((error) => {
      throw error;
    });
    working.onDidEndTurn(() => ends++);
    const session = new Working('s');
    const followed = working.follow(session, 'one');
    assert.equal(working.isWorking('one'), false);
    session.isBusy = true;
    assert.deepEqual([working.isWorking('one'), working.isWorking('two')], [true, false]);
    session.tell({ event: 'session:start', data: { session_id: 's' } });
    session.tell({ event: 'prompt:submit', data: { session_id: 's', prompt: 'p' } });
    session.tell({ event: 'prompt:complete', data: { session_id: 's', response: '' } });
    await eventually('the end of the turn', () => assert.equal(ends, 1));
    session.dispose();
    await followed;
    assert.deepEqual([working.isWorking('one'), ends], [false, 2]);
    working.dispose();
  });
});
