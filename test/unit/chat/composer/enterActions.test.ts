import assert from 'node:assert/strict';
import { enterActions, type ComposerAction } from '../../../../src/chat/browser/composer/enterActions';
import type { TextPurpose } from '../../../../src/chat/common/approvals/reasonText';

const noReasons: readonly TextPurpose[] = ['prompt', 'command', 'earlier', 'changed', 'over'];

describe('What Enter does', () => {
  const cases: readonly [isBusy: boolean, canSteer: boolean, 'steer' | 'queue', ComposerAction, ComposerAction][] = [
    [false, false, 'steer', 'send', 'send'],
    [false, true, 'steer', 'send', 'send'],
    [false, true, 'queue', 'send', 'send'],
    [true, false, 'steer', 'queue', 'queue'],
    [true, false, 'queue', 'queue', 'queue'],
    [true, true, 'steer', 'steer', 'queue'],
    [true, true, 'queue', 'queue', 'steer'],
  ];
  for (const [isBusy, canSteer, enterDuringTurn, enter, modifiedEnter] of cases)
    it(`${isBusy ? 'during a turn' : 'without a turn'}, ${canSteer ? 'with' : 'without'} steering, set to ${enterDuringTurn}`, () => {
      const situation = { isCall: false, isBusy, canSteer, enterDuringTurn };
      for (const purpose of noReasons)
        assert.deepEqual(enterActions({ ...situation, purpose }), { enter, modifiedEnter }, purpose);
      assert.deepEqual(enterActions({ ...situation, purpose: 'reason' }), { enter: 'deny', modifiedEnter });
      for (const purpose of [...noReasons, 'reason'] as const) {
        const inserts = enterActions({ ...situation, isCall: true, purpose });
        assert.deepEqual(inserts, { enter: 'insert', modifiedEnter: 'insert' }, purpose);
      }
    });
});
