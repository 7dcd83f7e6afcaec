import assert from 'node:assert/strict';
import {
  Approvals,
  tooManyApprovalsMessage,
  type ApprovalOption,
} from '../../../../../src/session/common/engine/approvals';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { FakeClock } from '../../../../fake/fakeClock';

describe('questions to the user', () => {
  const options: ApprovalOption[] = [
    { name: 'Allow', kind: 'allow_once' },
    { name: 'allow ', kind: 'allow_always', scope: 'everything' },
    { name: 'Reject', kind: 'reject_once' },
  ];
  function open(timeoutMs?: number) {
    const clock = new FakeClock();
    const events: SessionEvent[] = [];
    const approvals = new Approvals('s1', clock, timeoutMs, (event) => events.push(event));
    const asked = approvals.ask({ prompt: 'May it?', options, context: { a: 1 }, callId: 'c1' });
    return { clock, events, approvals, asked };
  }

  it('are told with all their options: names that look alike say what they mean, and always says its scope', () => {
    const [event] = open().events;
    assert.deepEqual(event, {
      event: 'approval:required',
      data: {
        session_id: 's1',
        approval_id: 'approval-1',
        prompt: 'May it?',
        options: ['Allow (allows once)', 'allow  (always allows)', 'Reject'],
        option_kinds: ['allow_once', 'allow_always', 'reject_once'],
        default: 'deny',
        context: {
          a: 1,
          scopes: { 'allow  (always allows)': 'everything' },
          // Without what was added it would be taken for once.
          misnamed: ['allow  (always allows)'],
        },
        call_id: 'c1',
      },
    });
  });

  it('mark options whose names say the opposite of what they do', () => {
    const { approvals, events } = open();
    const lying: ApprovalOption[] = [
      { name: 'Deny', kind: 'allow_always' },
      { name: 'Go', kind: 'allow_once' },
      { name: 'Reject', kind: 'reject_once' },
    ];
    void approvals.ask({ prompt: 'May it?', options: lying, context: {} });
    const event = events.at(-1);
    assert.ok(event?.event === 'approval:required');
    assert.deepEqual(event.data.options, ['Deny (always allows)', 'Go (allows once)', 'Reject']);
    assert.deepEqual(event.data.context?.['misnamed'], ['Deny (always allows)']);
  });

  it('accept the name of an option as answer', async () => {
    const { approvals, asked, events } = open();
    approvals.answer('approval-1', 'allow  (always allows)');
    assert.deepEqual(await asked, { chosen: options[1] });
    assert.equal(events.at(-1)?.event, 'approval:granted');
  });

  it('refuse unknown, late and unrelated answers', () => {
    const { approvals } = open();
    assert.throws(() => approvals.answer('approval-1', 'Allow'), { code: 'approvalInvalid' });
    approvals.answer('approval-1', 'Reject');
    assert.throws(() => approvals.answer('approval-1', 'Reject'), { code: 'approvalResolved' });
    assert.throws(() => approvals.answer('approval-9', 'Reject'), { code: 'approvalInvalid' });
  });

  it('wait as long as their asker does, with no deadline that anybody is told of', async () => {
    const { approvals, asked, clock, events } = open();
    assert.equal(clock.pending, 0);
    clock.advance(7 * 24 * 3_600_000);
    assert.equal(events.length, 1);
    approvals.answer('approval-1', 'Reject');
    assert.deepEqual(await asked, { chosen: options[2] });
  });

  it('are denied when nobody answers in time, where there is a time', async () => {
    const { asked, clock, events } = open(300_000);
    const [event] = events;
    assert.ok(event?.event === 'approval:required');
    assert.equal(event.data.timeout, 300);
    clock.advance(300_000);
    assert.deepEqual(await asked, { timedOut: true });
    assert.equal(events.at(-1)?.event, 'approval:denied');
    assert.equal(clock.pending, 0);
  });

  it('are denied beyond 32 with one warning, and not shown if nobody waits any more', async () => {
    const { approvals, events } = open();
    const ask = (signal?: AbortSignal) =>
      approvals.ask({ prompt: 'And?', options, context: {}, ...(signal ? { signal } : {}) });
    const notices = () => events.flatMap((event) => (event.event === 'notice' ? [event.data.message] : []));
    assert.equal(await ask(AbortSignal.abort()), undefined);
    const others = Array.from({ length: 31 }, () => ask());
    for (let more = 0; more < 100; more++) assert.deepEqual(await ask(), { refused: true });
    assert.equal(events.filter(({ event }) => event === 'approval:required').length, 32);
    assert.deepEqual(notices(), [tooManyApprovalsMessage]);
    approvals.withdrawAll();
    await Promise.all(others);
    const again = Array.from({ length: 33 }, () => ask());
    assert.deepEqual(await again.at(-1), { refused: true });
    assert.equal(notices().length, 2);
    approvals.withdrawAll();
  });

  it('are denied when they are withdrawn, all of them or one', async () => {
    const { approvals, asked, events } = open();
    const controller = new AbortController();
    const other = approvals.ask({ prompt: 'And?', options, context: {}, signal: controller.signal });
    controller.abort();
    assert.equal(await other, undefined);
    approvals.withdrawAll();
    assert.equal(await asked, undefined);
    assert.equal(events.filter(({ event }) => event === 'approval:denied').length, 2);
  });
});
