import assert from 'node:assert/strict';
import { WorkingBackends } from '../../../../src/session/common/workingBackends';
import { FakeSession } from '../../../fake/fakeBackend';

describe('backends that work', () => {
  const rethrow = (error: unknown): void => {
    throw error;
  };

  it('are those with a session in which a turn runs, whoever began it', () => {
    let ends = 0;
    const working = new WorkingBackends(rethrow);
    working.onDidEndTurn(() => ends++);
    const session = new FakeSession('s');
    working.follow(session, 'one');
    assert.equal(working.isWorking('one'), false);
    for (const turn of ['own', 'other', 'agent'] as const) {
      session.turn = turn;
      assert.deepEqual([working.isWorking('one'), working.isWorking('two'), ends], [true, false, 0]);
    }
    session.turn = 'none';
    assert.deepEqual([working.isWorking('one'), ends], [false, 1]);
    working.dispose();
  });

  it('include one whose session is loaded in a turn, until the session ends', () => {
    const working = new WorkingBackends(rethrow);
    const session = new FakeSession('s');
    session.turn = 'other';
    working.follow(session, 'one');
    assert.equal(working.isWorking('one'), true);
    session.dispose();
    assert.equal(working.isWorking('one'), false);
    working.dispose();
  });
});
