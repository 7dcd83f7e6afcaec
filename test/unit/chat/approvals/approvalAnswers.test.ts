import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { answersToAll, groupAnswers, isLastingAnswer } from '../../../../src/chat/common/approvals/approvalAnswers';
import type { ApprovalOption, ApprovalView } from '../../../../src/chat/common/chatView';
import { guessKind, nameContradictsKind } from '../../../../src/session/common/optionMeaning';

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;
const label = fc.oneof(fc.constantFrom('Allow', 'Deny', 'Always Allow', 'Edit first', 'AllowAll', ''), fc.string());
const anyOptions = fc.array(
  fc.record({ label, kind: fc.constantFrom(...kinds) }).map((option): ApprovalOption => option),
  { maxLength: 12 },
);
/** An option as views make it of a request. */
const option = (label: string, kind: ApprovalOption['kind'] = guessKind(label) ?? 'other'): ApprovalOption => {
  const isMisnamed = kind !== 'other' && nameContradictsKind({ name: label, kind });
  return { label, kind, ...(isMisnamed && { isMisnamed }) };
};
const named = (options: readonly (ApprovalOption | undefined)[]) => options.map((one) => one?.label);

describe('groupAnswers', () => {
  it('lists each option exactly once, whatever the agent sends', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        const { allow, deny, others } = groupAnswers(options);
        const offered = [...allow.all, ...deny.all, ...others];
        assert.equal(offered.length, options.length);
        assert.deepEqual(new Set(offered), new Set(options));
      }),
    );
  });

  it('never makes a lasting answer, or one of the other direction, the primary answer', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        const { allow, deny, denyWithReason } = groupAnswers(options);
        assert.ok(!allow.primary || allow.primary.kind === 'allow_once');
        assert.ok(!deny.primary || deny.primary.kind === 'reject_once');
        for (const { all, primary } of [allow, deny]) {
          assert.ok(!primary || (!isLastingAnswer(primary) && all[0] === primary), 'the primary answer comes first');
          const lasting = all.map(isLastingAnswer);
          assert.deepEqual(lasting, lasting.toSorted(), 'lasting answers come last');
        }
        assert.ok(!deny.primary || denyWithReason);
        assert.ok(!denyWithReason || denyWithReason.kind === 'reject_once');
      }),
    );
  });

  it('makes the only once option the primary answer, in any order', () => {
    const { allow, deny, others } = groupAnswers(
      ['AlwaysAllow', 'Deny All', 'Yes', 'Deny', 'Edit first'].map((name) => option(name)),
    );
    assert.deepEqual([allow.primary?.label, named(allow.all)], ['Yes', ['Yes', 'AlwaysAllow']]);
    assert.deepEqual([deny.primary?.label, named(deny.all)], ['Deny', ['Deny', 'Deny All']]);
    assert.deepEqual(named(others), ['Edit first']);
  });

  it('has no primary answer if there are several, because none of them is what the button says', () => {
    const { allow, deny, denyWithReason } = groupAnswers([
      option('Yes, clear context and implement', 'allow_once'),
      option('Always Allow'),
      option('Yes, keep context', 'allow_once'),
      option('No', 'reject_once'),
      option('No, keep planning', 'reject_once'),
      option('No, and tell the agent what to do', 'reject_once'),
    ]);
    assert.deepEqual([allow.primary, deny.primary], [undefined, undefined]);
    assert.deepEqual(named(allow.all), ['Yes, clear context and implement', 'Yes, keep context', 'Always Allow']);
    assert.equal(denyWithReason?.label, 'No, and tell the agent what to do');
    const two = groupAnswers(['No', 'No, keep planning'].map((label) => option(label, 'reject_once')));
    assert.equal(two.denyWithReason, undefined);
  });

  it('has no primary answer if all options last, or if its label says the opposite', () => {
    assert.equal(groupAnswers([option('Always Allow'), option('Deny')]).allow.primary, undefined);
    const { allow } = groupAnswers([option('Deny', 'allow_once'), option('Allow', 'allow_once')]);
    assert.deepEqual([allow.primary?.label, named(allow.all)], ['Allow', ['Allow', 'Deny']]);
  });

  it('has no primary answer whose label suggests a lasting effect or that is reported as misnamed', () => {
    const lasting = [
      'Yes, allow all edits during this session',
      'Allow for this session',
      'Trust this folder',
      'Yes, and bypass permissions',
      'Bypass permissions',
    ];
    for (const name of lasting) {
      const { allow } = groupAnswers([option(name, 'allow_once'), option('Deny')]);
      assert.deepEqual([allow.primary, named(allow.all)], [undefined, [name]]);
    }
    const told = groupAnswers([{ ...option('Proceed', 'allow_once'), isMisnamed: true }, option('Yes')]);
    assert.deepEqual([told.allow.primary?.label, named(told.allow.all)], ['Yes', ['Yes', 'Proceed']]);
    assert.equal(groupAnswers([option('Never', 'reject_once')]).deny.primary, undefined);
  });

  it('denies with a reason by the option that asks for one, and without one by another', () => {
    const tell = 'No, and tell Codex what to do differently';
    const { deny, denyWithReason } = groupAnswers([option(tell), option('No')]);
    assert.deepEqual([deny.primary?.label, denyWithReason?.label], ['No', tell]);
    const only = groupAnswers([option('Yes'), option(tell, 'reject_once')]);
    assert.deepEqual([only.deny.primary?.label, only.denyWithReason?.label], [tell, tell]);
    const lasting = groupAnswers([option('No'), option('No, and tell me never to ask', 'reject_always')]);
    assert.equal(lasting.denyWithReason?.label, 'No');
  });

  it('keeps a primary answer whose label says once or is in another language', () => {
    for (const name of ['Allow once in this session', 'Yes, run all of them, just this once', 'Erlauben', 'Continue']) {
      assert.equal(groupAnswers([option(name, 'allow_once')]).allow.primary?.label, name);
    }
    for (const name of ['No, keep it', 'Nein', 'No, and tell the agent what to do differently']) {
      assert.equal(groupAnswers([option(name, 'reject_once')]).deny.primary?.label, name);
    }
  });
});

describe('answersToAll', () => {
  const approval = (id: string, part: Partial<ApprovalView> = {}): ApprovalView => ({
    id,
    prompt: 'Run',
    asks: 'Demo',
    parts: [],
    options: [option('Always Allow'), option('Yes'), option('No')],
    state: 'pending',
    ...part,
  });
  const both = [approval('a', { shown: 'hash a' }), approval('b', { shown: 'hash b' })];

  it('answers each once, if there are several and each can be', () => {
    assert.deepEqual(answersToAll(both, 'allow'), [
      { approvalId: 'a', option: 'Yes', shown: 'hash a' },
      { approvalId: 'b', option: 'Yes', shown: 'hash b' },
    ]);
    assert.equal(answersToAll(both, 'deny')?.length, 2);
    assert.equal(answersToAll(both.slice(1), 'deny'), undefined);
    assert.equal(
      answersToAll([...both, approval('c', { options: [option('Always Allow'), option('No')] })], 'allow'),
      undefined,
    );
    const choice = [option('Yes, keep context'), option('Yes, clear context'), option('No')];
    assert.equal(
      answersToAll([...both, approval('c', { options: choice })], 'allow'),
      undefined,
      'only the user chooses',
    );
    assert.equal(answersToAll([...both, approval('c', { state: 'answering' })], 'allow')?.length, 2);
  });

  it('denies what shows a risk, but does not allow it unseen', () => {
    for (const risk of [
      { warnings: ['Protected.'] },
      { escalations: [{ name: 'sandbox', value: 'off' }] },
      { env: [{ name: 'PATH', value: '.', effect: 'decides which program runs' }] },
      { isUndescribed: true },
    ]) {
      const all = [...both, approval('c', risk)];
      assert.deepEqual([answersToAll(all, 'allow'), answersToAll(all, 'deny')?.length], [undefined, 3]);
    }
  });
});
