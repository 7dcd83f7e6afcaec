import assert from 'node:assert/strict';
import { ReconnectGrace } from '../../../../src/amplifier/node/client/reconnectGrace';
import { FakeClock } from '../../../fake/fakeClock';

describe('the grace of a turn without a connection', () => {
  let clock: FakeClock;
  let grace: ReconnectGrace;
  let over: number;

  beforeEach(() => {
    clock = new FakeClock();
    over = 0;
    grace = new ReconnectGrace(clock, 1000, () => over++);
  });

  it('is over in its time', () => {
    grace.lost();
    clock.advance(999);
    assert.equal(over, 0);
    clock.advance(1);
    assert.equal(over, 1);
  });

  it('does not begin anew with connections that do not last', () => {
    grace.lost();
    for (let count = 0; count < 4; count++) {
      clock.advance(240);
      grace.connected();
      clock.advance(1);
      grace.lost();
    }
    clock.advance(40);
    assert.equal(over, 1);
  });

  it('ends no turn that has a connection, and is whole again after it', () => {
    grace.lost();
    clock.advance(990);
    grace.connected();
    clock.advance(500);
    assert.equal(over, 0);
    grace.lost();
    clock.advance(999);
    assert.equal(over, 0);
    clock.advance(1);
    assert.equal(over, 1);
  });

  it('leaves no timer once a connection has lasted', () => {
    grace.lost();
    grace.connected();
    grace.dispose();
    assert.equal(clock.pending, 0);
  });
});
