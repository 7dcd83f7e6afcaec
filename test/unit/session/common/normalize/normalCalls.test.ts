import assert from 'node:assert/strict';
import { NormalizerUnderTest } from './normalizerUnderTest';

describe('the normal form of calls and questions, made of whatever a backend tells', () => {
  const its = new NormalizerUnderTest();
  const { end, heard, post, pre, say, start } = its;
  beforeEach(() => start());

  describe('a call', () => {
    it('gets an id and a kind, and the oldest one of its name the result', () => {
      pre(undefined);
      pre(undefined, 'read_file');
      pre(undefined);
      post();
      post(undefined, 'read_file');
      post();
      assert.deepEqual(heard('call_id', 'kind'), [
        ['tool:pre', 'call-1', 'execute'],
        ['tool:pre', 'call-2', 'execute'],
        ['tool:pre', 'call-3', 'execute'],
        ['tool:post', 'call-1'],
        ['tool:post', 'call-2'],
        ['tool:post', 'call-3'],
      ]);
    });

    it('gets an id that no earlier reading of its session has given', () => {
      start({ callIdPrefix: 'call-x' });
      pre();
      assert.deepEqual(heard('call_id'), [['tool:pre', 'call-x-1']]);
    });

    it('begins by its result or an update when its beginning was lost', () => {
      post('a', 'grep');
      say('tool:update', { call_id: 'b', kind: 'edit', title: 'Edit' });
      assert.deepEqual(heard('call_id', 'tool_name', 'kind', 'title'), [
        ['tool:pre', 'a', 'grep', 'execute'],
        ['tool:post', 'a', 'grep'],
        ['tool:pre', 'b', 'edit', 'edit'],
        ['tool:update', 'b', 'edit', 'Edit'],
      ]);
    });

    it('is only updated when it begins or ends once more', () => {
      pre('a');
      say('tool:pre', { tool_name: 'bash', operation: 'run', input: {}, call_id: 'a', title: 'Run' });
      post('a');
      say('tool:post', { tool_name: 'bash', operation: 'run', result: { success: true, output: 'out' }, call_id: 'a' });
      say('tool:error', { tool_name: 'bash', operation: 'run', error: 'no', call_id: 'a' });
      say('tool:error', { tool_name: 'bash', operation: 'run', error: 'left', unfinished: true, call_id: 'a' });
      assert.deepEqual(heard('title', 'input', 'status', 'result', 'error'), [
        ['tool:pre', {}],
        ['tool:update', 'Run'],
        ['tool:post', { success: true }],
        ['tool:update', 'completed', { success: true, output: 'out' }],
        ['tool:update', 'failed', 'no'],
      ]);
    });

    for (const [stop_reason, error] of [
      ['cancelled', 'Canceled.'],
      ['end_turn', 'The turn ended before this call finished.'],
    ] as const) {
      it(`is unfinished when its turn ends before it as ${stop_reason}, and says so`, () => {
        pre('a');
        say('prompt:complete', { response: '', stop_reason });
        assert.deepEqual(heard('error', 'unfinished'), ['tool:pre', ['tool:error', error, true], 'prompt:complete']);
      });
    }

    it('begins no turn when it is told of after the end of its own', () => {
      pre('a');
      end();
      heard();
      post('a');
      end('again');
      assert.deepEqual(heard('status'), [['tool:update', 'completed']]);
    });

    it('forgets nothing of what it was denied until it ends', () => {
      pre('a');
      say('approval:required', { approval_id: 'q', prompt: 'May I?', options: ['Yes', 'No'] });
      say('approval:denied', { approval_id: 'q', decision: 'No' });
      end();
      assert.deepEqual(heard('call_id', 'error', 'unfinished'), [
        ['tool:pre', 'a'],
        ['approval:required', 'a'],
        'approval:denied',
        ['tool:error', 'a', 'Not run because it was denied.'],
        'prompt:complete',
      ]);
    });

    it('that succeeds though it was denied gets a warning also after its end was told', () => {
      start({ warnsAboutDeniedRuns: true });
      pre('a');
      say('approval:required', { approval_id: 'q', prompt: 'May I?', options: ['Yes', 'No'] });
      say('approval:denied', { approval_id: 'q', decision: 'No' });
      end();
      heard();
      post('a');
      assert.deepEqual(heard('status', 'level'), [
        ['tool:update', 'completed'],
        ['notice', 'error'],
      ]);
    });

    for (const [what, warnsAboutDeniedRuns, reason, notices] of [
      ['a warning', true, 'timeout', 1],
      ['no warning when nobody has denied it', true, 'answered_elsewhere', 0],
      ['no warning of a backend that calls denials a success', false, 'timeout', 0],
    ] as const) {
      it(`that succeeds though it was denied gets ${what}`, () => {
        start({ warnsAboutDeniedRuns });
        pre('a');
        say('approval:required', { approval_id: 'q', prompt: 'May I?', options: ['Yes', 'No'] });
        say('approval:denied', { approval_id: 'q', decision: 'No', reason });
        post('a');
        assert.equal(heard('level').filter((event) => String(event) === 'notice,error').length, notices);
      });
    }
  });

  describe('a question', () => {
    const ask = (approval_id: string, call_id?: string): void =>
      say('approval:required', {
        approval_id,
        prompt: 'May I?',
        options: ['Yes', 'No'],
        ...(call_id === undefined ? {} : { call_id }),
      });

    it('names the waiting call if it is unambiguous', () => {
      pre('a');
      ask('q1');
      pre('b');
      ask('q2');
      ask('q3', 'c');
      assert.deepEqual(heard('approval_id', 'call_id'), [
        ['tool:pre', 'a'],
        ['approval:required', 'q1', 'a'],
        ['tool:pre', 'b'],
        ['approval:required', 'q2'],
        ['tool:pre', 'c'],
        ['approval:required', 'q3', 'c'],
      ]);
    });

    it('is asked once and answered once, at the latest when its turn ends', () => {
      ask('q1');
      ask('q1');
      ask('q2');
      say('approval:granted', { approval_id: 'q1', decision: 'Yes' });
      say('approval:granted', { approval_id: 'q1', decision: 'Yes' });
      say('approval:granted', { approval_id: 'unknown', decision: 'Yes' });
      say('error', { error: 'broken' });
      assert.deepEqual(heard('approval_id', 'reason'), [
        ['approval:required', 'q1'],
        ['approval:required', 'q2'],
        ['approval:granted', 'q1'],
        ['approval:denied', 'q2', 'turn_ended'],
        'error',
      ]);
    });
  });
});
