import assert from 'node:assert/strict';
import {
  hasPromptedTurn,
  isPromptUnconfirmed,
  turnOf,
  nextStage,
  type TurnStage,
  type StageInput,
} from '../../../../src/chat/common/transcript/turnStage';

const rest: TurnStage<string> = { kind: 'idle' };

function after(...steps: StageInput<string>[]): TurnStage<string> {
  return steps.reduce(nextStage, rest);
}

const prompted = (turn: string): StageInput<string> => ({ kind: 'prompted', turn });
const echoed: StageInput<string> = { kind: 'echoed' };
const ended: StageInput<string> = { kind: 'ended' };
const stopped = (inBackend = true): StageInput<string> => ({ kind: 'stopped', inBackend });

describe('nextStage', () => {
  it('goes from the prompt to its echo to the end', () => {
    assert.deepEqual(after(prompted('one')), { kind: 'sent', turn: 'one' });
    assert.deepEqual(after(prompted('one'), echoed), { kind: 'running', turn: 'one' });
    assert.deepEqual(after(prompted('one'), echoed, ended), rest);
    assert.deepEqual(after(prompted('one'), { kind: 'withdrawn' }), rest);
  });

  it('handles a replayed turn, a turn from elsewhere, and an unprompted turn', () => {
    const begun = (isReplayed: boolean): StageInput<string> => ({ kind: 'begun', turn: 'one', isReplayed });
    assert.equal(after(begun(true)).kind, 'replayed');
    assert.equal(after(begun(false)).kind, 'running');
    const unasked = after({ kind: 'unprompted', turn: 'one' });
    assert.equal(turnOf(unasked), 'one');
    assert.equal(hasPromptedTurn(unasked), false);
    assert.deepEqual(nextStage(unasked, echoed), unasked);
  });

  it('waits for the end of a stopped turn in the backend while the next prompt waits', () => {
    const stopping = after(prompted('one'), echoed, stopped());
    assert.deepEqual(stopping, { kind: 'stopped', unreported: undefined, next: undefined });
    assert.equal(turnOf(stopping), undefined);
    const waiting = nextStage(stopping, prompted('two'));
    assert.equal(turnOf(waiting), 'two');
    assert.ok(hasPromptedTurn(waiting) && isPromptUnconfirmed(waiting));
    assert.deepEqual(nextStage(waiting, ended), { kind: 'sent', turn: 'two' });
    assert.deepEqual(nextStage(waiting, { kind: 'withdrawn' }), stopping);
    assert.deepEqual(nextStage(stopping, ended), rest);
  });

  it('does not take the echo of a stopped prompt for that of the next', () => {
    const early = after(prompted('one'), stopped(), prompted('two'));
    assert.deepEqual(early, { kind: 'stopped', unreported: 'one', next: 'two' });
    const echoedOnce = nextStage(early, echoed);
    assert.deepEqual(echoedOnce, { kind: 'stopped', unreported: undefined, next: 'two' });
    assert.deepEqual(nextStage(echoedOnce, echoed), { kind: 'running', turn: 'two' });
  });

  it('keeps a prompt that waits for the turn of another client, which began before it was accepted', () => {
    const others = after(
      prompted('one'),
      { kind: 'withdrawn' },
      { kind: 'begun', turn: 'x', isReplayed: false, next: 'one' },
    );
    assert.equal(turnOf(others), 'x');
    assert.ok(hasPromptedTurn(others) && isPromptUnconfirmed(others));
    assert.deepEqual(nextStage(others, { kind: 'withdrawn' }), { kind: 'running', turn: 'x' });
    assert.deepEqual(nextStage(others, ended), rest);
  });

  it('is idle immediately after a stop that the backend need not know about', () => {
    assert.deepEqual(after(prompted('one'), stopped(false)), rest);
    const stopping = after(prompted('one'), echoed, stopped());
    assert.deepEqual(nextStage(nextStage(stopping, prompted('two')), stopped(false)), stopping);
  });
});
