import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  findPromptEndReport,
  nextProgress,
  initialPromptProgress,
  type PromptProgressInput,
} from '../../../../../src/acp/common/v2/promptProgress';

const accepted = { kind: 'accepted', messageId: 'mine' } as const;
const told = (messageId = 'mine') => ({ kind: 'reported', messageId }) as const;
const state = (name: string, stopReason?: string): PromptProgressInput => ({
  kind: 'state',
  update: { state: name, stopReason, error: undefined },
});
const running = state('running');
const idle = state('idle', 'end_turn');
const cancelled = { kind: 'cancelled' } as const;

/** Why the prompt ended, after the inputs; undefined if it has not. */
function endAfter(...inputs: PromptProgressInput[]): string | undefined {
  const end = findPromptEndReport(inputs.reduce(nextProgress, initialPromptProgress));
  return end && (end.stopReason ?? 'no reason');
}

/** All orders of two lists that keep the order within each. */
function interleavings<T>(first: readonly T[], second: readonly T[]): T[][] {
  const [a, ...restOfFirst] = first;
  const [b, ...restOfSecond] = second;
  if (a === undefined) return [[...second]];
  if (b === undefined) return [[...first]];
  return [
    ...interleavings(restOfFirst, second).map((rest) => [a, ...rest]),
    ...interleavings(first, restOfSecond).map((rest) => [b, ...rest]),
  ];
}

describe('the end of a prompt of ACP v2', () => {
  it('comes with acceptance, message and idleness, wherever the answer is among the updates', () => {
    for (const order of interleavings<PromptProgressInput>(
      [accepted],
      [running, told(), state('requires_action'), running, idle],
    ))
      assert.equal(endAfter(...order), 'end_turn');
  });

  it('does not come before the agent is idle, or before it has accepted the prompt', () => {
    for (const order of interleavings<PromptProgressInput>([accepted], [running, told()]))
      assert.equal(endAfter(...order), undefined);
    assert.equal(endAfter(told(), running, idle), undefined);
  });

  it('is not the end of the work that was going on when the prompt was sent', () => {
    const before = [running, state('idle', 'max_tokens'), told('other')];
    assert.equal(endAfter(...before, told(), accepted), undefined);
    assert.equal(endAfter(...before, told(), accepted, running, idle), 'end_turn');
    assert.equal(endAfter(told('other'), running, idle, told(), running, accepted), undefined);
  });

  it('is not a repeated report of idleness before the prompt was told', () => {
    assert.equal(endAfter(state('idle', 'cancelled'), accepted, told(), running), undefined);
    assert.equal(endAfter(accepted, state('idle')), undefined);
  });

  it('comes once: a second report of idleness changes nothing', () => {
    assert.equal(endAfter(accepted, told(), running, state('idle', 'refusal'), idle), 'refusal');
  });

  it('also comes of an agent that never tells the message, or never reports that it works', () => {
    assert.equal(endAfter(accepted, running, idle), 'end_turn');
    assert.equal(endAfter(running, idle, accepted), 'end_turn');
    assert.equal(endAfter(accepted, idle), 'end_turn');
    assert.equal(endAfter(accepted, told(), state('idle')), 'no reason');
  });

  it('comes at once if an agent that does nothing is cancelled, and later if it works', () => {
    assert.equal(endAfter(accepted, cancelled), 'cancelled');
    assert.equal(endAfter(cancelled, accepted), 'cancelled');
    assert.equal(endAfter(accepted, told(), running, cancelled), undefined);
    assert.equal(endAfter(accepted, told(), running, cancelled, state('idle', 'cancelled')), 'cancelled');
    assert.equal(endAfter(cancelled), undefined);
  });

  it('ignores states that it does not know, and stays bounded', () => {
    assert.equal(endAfter(accepted, told(), running, state('_dreaming')), undefined);
    const many = Array.from({ length: 1000 }, (_, index) => told(`m${index}`));
    assert.ok(many.reduce(nextProgress, initialPromptProgress).reportedMessages.size <= 64);
  });

  it('never ends an unaccepted prompt, whatever comes', () => {
    const input = fc.oneof(
      fc.constantFrom<PromptProgressInput>(running, idle, cancelled, told(), told('other'), state('requires_action')),
    );
    fc.assert(
      fc.property(fc.array(input), (inputs) => {
        assert.equal(endAfter(...inputs), undefined);
      }),
    );
  });
});
