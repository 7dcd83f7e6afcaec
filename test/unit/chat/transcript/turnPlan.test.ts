import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { TodoItem } from '../../../../src/transcript/common/entries';
import { planProgress } from '../../../../src/transcript/browser/entries/planProgress';
import { event, TranscriptRecorder } from '../support/transcriptRecorder';

type Status = TodoItem['status'];

const plan = (...statuses: Status[]) =>
  event('plan:update', { entries: statuses.map((status, index) => ({ content: `Step ${index + 1}`, status })) });
const done = event('prompt:complete', { response: '' });
const hint = event('notice', { level: 'info', message: 'Hm' });
const openOf = ({ transcript }: TranscriptRecorder) => transcript.openPlan.map(({ status }) => status);

describe('the plan of a turn', () => {
  it('is not in the transcript while steps are open, and one entry when all are done', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('in_progress', 'pending'), hint);
    assert.deepEqual(openOf(told), ['in_progress', 'pending']);
    assert.deepEqual(told.outline, ['prompt: Go', 'notice: Hm']);
    told.addEvents(plan('completed', 'completed'));
    const outline = ['prompt: Go', 'notice: Hm', 'todos: Step 1 (completed), Step 2 (completed)'];
    assert.deepEqual(openOf(told), []);
    assert.deepEqual(told.outline, outline);
    told.addEvents(plan('completed', 'completed'), done);
    assert.deepEqual(told.outline, [...outline, 'end: completed']);
  });

  it('continues in the same entry when steps are added to a finished plan', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('completed'), plan('completed', 'pending'));
    assert.deepEqual(openOf(told), ['completed', 'pending']);
    told.addEvents(done);
    assert.deepEqual(told.outline, ['prompt: Go', 'todos: Step 1 (completed), Step 2 (pending)', 'end: completed']);
  });

  it('stands before the end of a turn that was stopped, and a later one begins without it', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('pending'));
    told.addRecords({ type: 'stopped', inBackend: true });
    assert.deepEqual(told.outline, ['prompt: Go', 'todos: Step 1 (pending)', 'end: cancelled']);
    told.addEvents(plan('completed'), done).prompt('Next', 'q');
    assert.deepEqual(openOf(told), []);
    assert.equal(told.outline.filter((line) => line.startsWith('todos')).length, 1);
  });

  it('is gone when the agent takes it back', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('pending'), plan(), done);
    assert.deepEqual(told.outline, ['prompt: Go', 'end: completed']);
  });

  it('is shown again when the turn still runs after a reload', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('pending'));
    told.addRecords({ type: 'ended', outcome: 'interrupted', text: 'Closed.' });
    assert.deepEqual(openOf(told), []);
    told.addRecords({ type: 'resumed' });
    assert.deepEqual(openOf(told), ['pending']);
    assert.deepEqual(told.outline, ['prompt: Go']);
  });

  it('belongs to the turn before when it arrives after the end', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('pending'), done, plan('in_progress'));
    assert.deepEqual(openOf(told), []);
    assert.deepEqual(told.outline, ['prompt: Go', 'todos: Step 1 (in_progress)', 'end: completed']);
  });

  it('keeps a long step whole for “Show All” when the turn ends with open steps', () => {
    const content = 'x'.repeat(5_000);
    const told = new TranscriptRecorder().prompt('Go');
    told.addEvents(event('plan:update', { entries: [{ content, status: 'pending' }] }));
    assert.ok((told.transcript.openPlan[0]?.text.length ?? 0) < content.length, 'short while it runs');
    told.addEvents(done);
    const shown = told.entries.find(({ kind }) => kind === 'todos');
    assert.ok(shown?.kind === 'todos');
    assert.ok((shown.omitted ?? 0) > 0, 'says that it is cut');
    const whole = told.transcript.writer.fullContent(shown.id);
    assert.ok(whole?.kind === 'todos');
    assert.equal(whole.items[0]?.text, content);
  });

  it('is an entry of its own when the agent goes on without a prompt, and the earlier one stays', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(plan('completed'), done);
    const before = ['prompt: Go', 'todos: Step 1 (completed)', 'end: completed'];
    told.addEvents(
      event('thinking:final', { thinking: 'More' }),
      plan('pending', 'pending'),
      plan('completed', 'pending'),
    );
    const after = ['thinking: More', 'todos: Step 1 (completed), Step 2 (pending)'];
    assert.deepEqual(told.outline, [...before, ...after]);
    assert.deepEqual(openOf(told), []);
    told.addEvents(done, plan('completed', 'completed')).prompt('Next', 'q');
    assert.deepEqual(told.outline, [
      ...before,
      'thinking: More',
      'todos: Step 1 (completed), Step 2 (completed)',
      'end: completed',
      'prompt: Next',
    ]);
  });

  it('is an entry at once when it comes after a prompt that was withdrawn', () => {
    const told = new TranscriptRecorder().addRecords(
      { type: 'prompt', id: 'p', text: 'Go', attachments: [] },
      { type: 'withdrawn', id: 'p' },
    );
    told.addEvents(plan('pending'));
    assert.deepEqual(openOf(told), []);
    assert.deepEqual(told.outline, ['todos: Step 1 (pending)']);
  });

  it('is read from the todo tool of an Amplifier server, but not from that of a subagent', () => {
    const todos = [{ content: 'Read', activeForm: 'Reading', status: 'in_progress' }];
    const call = (more: object) =>
      event('tool:pre', {
        tool_name: 'todo',
        operation: 'todo',
        call_id: 'c',
        input: { action: 'create', todos },
        ...more,
      });
    const told = new TranscriptRecorder().prompt('Go').addEvents(call({ parent_call_id: 'p' }));
    assert.deepEqual(openOf(told), []);
    told.addEvents(call({ call_id: 'd' }), call({ call_id: 'e', input: { action: 'list' } }));
    assert.deepEqual(openOf(told), ['in_progress']);
    told.addEvents(call({ call_id: 'f', tool_name: 'write_file', input: { todos: [] } }));
    assert.deepEqual(openOf(told), ['in_progress']);
  });

  it('is in one place at any time, whatever is sent', () => {
    const statuses = fc.array(fc.constantFrom<Status>('pending', 'in_progress', 'completed', 'cancelled'), {
      maxLength: 4,
    });
    const step = fc.oneof(
      statuses.map((list) => ({ events: [plan(...list)] })),
      fc.constant({ events: [done] }),
      fc.constant({ prompt: true }),
      fc.constant({ stop: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const told = new TranscriptRecorder();
        let turns = 0;
        for (const one of steps) {
          if ('prompt' in one) told.prompt('Go', `p${++turns}`);
          else if ('stop' in one) told.addRecords({ type: 'stopped', inBackend: false });
          else told.addEvents(...one.events);
          const plans = told.entries.filter(
            ({ kind, turn }) => kind === 'todos' && turn === told.transcript.turnNumber,
          );
          assert.ok(plans.length <= 1);
          assert.ok(told.transcript.openPlan.length === 0 || told.transcript.isBusy);
        }
      }),
    );
  });
});

describe('the current step of a plan', () => {
  const items = (...statuses: Status[]) => statuses.map((status, index) => ({ text: `Step ${index + 1}`, status }));

  it('is the one that is being done, or else the next one', () => {
    assert.deepEqual(planProgress(items('pending', 'in_progress')).current, { number: 2, text: 'Step 2' });
    assert.deepEqual(planProgress(items('completed', 'cancelled', 'pending')).current, { number: 3, text: 'Step 3' });
    assert.deepEqual(planProgress(items('completed', 'cancelled')), { doneCount: 1, current: undefined });
  });
});
