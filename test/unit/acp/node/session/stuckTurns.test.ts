import assert from 'node:assert/strict';
import { ProcessUsers, type ProcessUser } from '../../../../../src/acp/node/connection/processUsers';
import { StuckTurns } from '../../../../../src/acp/node/session/stuckTurns';
import { FakeClock } from '../../../../fake/fakeClock';
import { turns } from '../../../../support/turns';

describe('a turn that does not end', () => {
  function setUp(canRestore: boolean) {
    const users = new ProcessUsers(new FakeClock(), (error) => assert.fail(String(error)));
    const reasons: string[] = [];
    const stop = (reason: string): Promise<void> => {
      reasons.push(reason);
      return Promise.resolve();
    };
    const connection: { connectedAgent: object | undefined } = { connectedAgent: {} };
    const stuckTurns = new StuckTurns({ canRestore, connection, stop, title: 'Demo', users });
    const own: ProcessUser = { isWorking: false, isRemembered: false };
    const other = { isWorking: true, isRemembered: true };
    users.add(own);
    const otherUse = users.add(other);
    return { connection, other, otherUse, own, reasons, stuckTurns, users };
  }

  it('ends its process also if the other conversation has ended before it was left', async () => {
    const { other, own, reasons, stuckTurns, users } = setUp(true);
    assert.equal(stuckTurns.measureFor(own), 'leaveUntilUnused');
    other.isWorking = false;
    users.handleChange();
    await turns();
    stuckTurns.abandon(new Promise(() => undefined));
    await turns();
    assert.equal(reasons.length, 1);
  });

  it('ends its process when the conversations that it would forget are closed', async () => {
    const { other, otherUse, own, reasons, stuckTurns, users } = setUp(false);
    assert.equal(stuckTurns.measureFor(own), 'leaveUntilForgotten');
    stuckTurns.abandon(new Promise(() => undefined));
    other.isWorking = false;
    users.handleChange();
    await turns();
    assert.equal(reasons.length, 0);
    otherUse.dispose();
    await turns();
    assert.equal(reasons.length, 1);
  });

  it('leaves its process alone if it ends after all', async () => {
    const { other, reasons, stuckTurns, users } = setUp(true);
    const { promise: ended, resolve } = Promise.withResolvers<undefined>();
    stuckTurns.abandon(ended);
    resolve(undefined);
    await turns();
    other.isWorking = false;
    users.handleChange();
    await turns();
    assert.equal(reasons.length, 0);
  });

  for (const next of [undefined, {}]) {
    it(`does not end ${next ? 'a later process' : 'what has crashed, so that the crash is reported'}`, async () => {
      const { connection, other, reasons, stuckTurns, users } = setUp(true);
      stuckTurns.abandon(new Promise(() => undefined));
      connection.connectedAgent = next;
      other.isWorking = false;
      other.isRemembered = false;
      users.handleChange();
      await turns();
      assert.deepEqual(reasons, []);
    });
  }
});
