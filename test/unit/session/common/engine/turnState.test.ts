import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  endsBySilence,
  nextTurn,
  noTurn,
  turnOf,
  type TurnInput,
  type TurnState,
} from '../../../../../src/session/common/engine/turnState';

const prompted: TurnInput = { type: 'prompted', requestId: 'r' };
const acted: TurnInput = { type: 'acted' };
const ended: TurnInput = { type: 'ended' };
const working = (isWorking: boolean): TurnInput => ({ type: 'working', isWorking });

const after = (...inputs: TurnInput[]): TurnState => inputs.reduce(nextTurn, noTurn);

const input = fc.oneof(
  fc.constantFrom<TurnInput>(prompted, acted, ended, { type: 'othersPrompted' }, { type: 'stopped' }),
  fc.boolean().map(working),
);

describe('the turn of a session', () => {
  it('is that of whoever began it, until its end', () => {
    assert.equal(turnOf(noTurn), 'none');
    assert.equal(turnOf(after(prompted)), 'own');
    assert.equal(turnOf(after({ type: 'othersPrompted' })), 'other');
    assert.equal(turnOf(after(acted)), 'agent');
    assert.equal(turnOf(after(working(true))), 'agent');
    for (const begin of [prompted, acted]) assert.deepEqual(after(begin, ended), noTurn);
  });

  it('ends by silence only if the agent acts without a prompt and does not report its work', () => {
    assert.equal(endsBySilence(after(acted)), true);
    for (const inputs of [[acted, working(true)], [prompted, acted], [{ type: 'othersPrompted' as const }], []])
      assert.equal(endsBySilence(after(...inputs)), false);
  });

  it('lets the agent ask again after a stop only with the next prompt', () => {
    const stopped = after(acted, { type: 'stopped' }, ended);
    assert.equal(nextTurn(stopped, acted).isStopped, true);
    for (const begin of [prompted, { type: 'othersPrompted' as const }])
      assert.equal(nextTurn(stopped, begin).isStopped, false);
  });

  it('is never replaced by what the agent does, never outlives its end, and none follows the end of the session', () => {
    fc.assert(
      fc.property(fc.array(input), fc.array(input), (before, later) => {
        const state = after(...before);
        assert.deepEqual(nextTurn(state, acted).open, state.open ?? { kind: 'agent' });
        assert.equal(nextTurn(state, ended).open, undefined);
        const closed = nextTurn(state, { type: 'closed' });
        assert.equal(later.reduce(nextTurn, closed), closed);
        assert.equal(turnOf(closed), 'none');
      }),
    );
  });
});
