import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  changeText,
  purposeOfText,
  type BegunText,
  type ReasonTarget,
  type TextPurpose,
} from '../../../../src/chat/common/approvals/reasonText';

const empty: BegunText = { text: '', begunFor: undefined };
const pending = (key: string): ReasonTarget => ({ key, isAnswering: false });
const [a, b] = [pending('s a'), pending('s b')];
const typed = (text: string, target?: ReasonTarget, before = empty): BegunText => changeText(before, text, { target });
const purposeOf = (text: BegunText, target?: ReasonTarget): TextPurpose => purposeOfText(text, target, ['git/commit']);

describe('the text of the composer', () => {
  it('is a reason only for the approval that was in view when it was begun', () => {
    assert.equal(purposeOf(typed('Use pnpm', a), a), 'reason');
    assert.equal(purposeOf(typed('Use pnpm', a), b), 'changed');
    assert.equal(purposeOf(typed('Use pnpm', a), undefined), 'over');
    assert.equal(purposeOf(typed('Use pnpm')), 'prompt');
    const followUp = typed('also add tests', a, typed('also add', undefined));
    assert.equal(purposeOf(followUp, a), 'earlier');
    assert.equal(purposeOf(typed('No', a, typed('  ', a, followUp)), a), 'reason', 'begun again');
    assert.equal(purposeOf(typed('', a), a), 'prompt');
  });

  it('is no reason if the user has not typed it, or typed it while an answer was on its way', () => {
    assert.equal(purposeOf(changeText(empty, 'an earlier prompt'), a), 'earlier');
    assert.equal(purposeOf(changeText(typed('Use pnpm', a), 'an earlier prompt'), a), 'earlier');
    assert.equal(purposeOf(changeText(typed('Use pnpm', a), 'Use pnpm'), a), 'reason', 'only the attachments changed');
    const answering = { ...a, isAnswering: true };
    assert.equal(purposeOf(typed('and then', answering), answering), 'prompt');
    assert.equal(purposeOf(typed('Use pnpm', a), answering), 'reason', 'it is on its way, and not sent once more');
  });

  it('is no reason if it begins with a command, known or not, but may begin with a path', () => {
    for (const text of ['/compact', ' /compact now', '/git/commit', '/mcp:server:prompt x']) {
      assert.equal(purposeOf(typed(text, a), a), 'command', text);
    }
    for (const text of ['/etc/hosts is wrong', 'not /compact', '/ is wrong']) {
      assert.equal(purposeOf(typed(text, a), a), 'reason', text);
    }
  });

  it('never answers an approval that was not in view from its first word on, in any order, and is never lost', () => {
    type Step =
      | { readonly what: 'type' | 'insert'; readonly text: string }
      | { readonly what: 'show'; readonly target: ReasonTarget | undefined }
      | { readonly what: 'enter' };
    const target = fc.option(fc.record({ key: fc.constantFrom('a', 'b', 'c'), isAnswering: fc.boolean() }), {
      nil: undefined,
    });
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ what: fc.constant('type' as const), text: fc.constantFrom('', ' ', 'x', 'xy', '/compact', '/a/b') }),
      fc.record({ what: fc.constant('insert' as const), text: fc.constantFrom('', 'x', 'old') }),
      fc.record({ what: fc.constant('show' as const), target }),
      fc.constant({ what: 'enter' as const }),
    );
    let denials = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 40 }), (steps) => {
        let now = empty;
        let shown: ReasonTarget | undefined;
        /** Each change since the composer was last blank: whether it was typed, and what was in view. */
        let history: { isTyped: boolean; shown: ReasonTarget | undefined }[] = [];
        for (const one of steps) {
          if (one.what === 'show') shown = one.target;
          else if (one.what === 'enter') {
            const purpose = purposeOf(now, shown);
            if (purpose === 'reason') {
              denials++;
              assert.equal(history[0]?.shown?.key, shown?.key);
              assert.equal(history[0]?.shown?.isAnswering, false);
              assert.ok(history.every(({ isTyped }) => isTyped));
              assert.ok(shown !== undefined && now.text.trim() !== '' && !now.text.startsWith('/compact'));
              if (shown.isAnswering) continue;
            } else assert.ok(now.text.trim() !== '' || purpose === 'prompt');
            now = changeText(now, '');
            history = [];
          } else {
            const isTyped = one.what === 'type';
            const isChange = isTyped || one.text !== now.text;
            now = isTyped ? typed(one.text, shown, now) : changeText(now, one.text);
            assert.equal(now.text, one.text);
            if (now.text.trim() === '') history = [];
            else if (isChange) history.push({ isTyped, shown });
          }
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(denials > 50, 'reasons were given');
  });
});
