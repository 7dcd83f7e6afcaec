import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SessionEvent, type EventData, type SessionEventName } from '../../../../../src/session/common/sessionEvents';
import { normalized } from '../../../../support/normalized';
import { laxSession } from './laxSession';

/** All that is said and thought, in its order; a thought that comes at once, too. */
function said(events: readonly SessionEvent[]): string {
  let text = '';
  let isThinking = false;
  for (const { event, data } of events) {
    if (event === 'content_block:delta' || event === 'thinking:delta') text += data.delta;
    if (event === 'thinking:final' && !isThinking) text += data.thinking;
    if (event === 'thinking:delta' || event === 'thinking:final') isThinking = event === 'thinking:delta';
  }
  return text;
}

describe('the normal form of a session, made of whatever a backend tells', () => {
  let told: SessionEvent[];
  let normalizer: SessionNormalizer;
  const start = (options = {}): void => {
    told = [];
    normalizer = new SessionNormalizer((event) => told.push(event), options);
    say('session:start', {});
    say('prompt:submit', { prompt: 'go', request_id: 'r1' });
    told.length = 0;
  };
  beforeEach(() => start());

  function say<Name extends SessionEventName>(event: Name, data: Omit<EventData<Name>, 'session_id'>): void {
    normalizer.normalize(SessionEvent.parse({ event, data: { session_id: 's', ...data } }));
  }

  /** What was told since it was asked last, without the session's id, as far as `keys` name it. */
  function heard(...keys: readonly string[]): unknown[] {
    return told.splice(0).map(({ event, data }) => {
      const shown = keys.flatMap((key) => (key in data ? [data[key]] : []));
      return shown.length === 0 ? event : [event, ...shown];
    });
  }

  const pre = (call_id?: string, tool_name = 'bash'): void =>
    say('tool:pre', { tool_name, operation: 'run', input: {}, ...(call_id === undefined ? {} : { call_id }) });
  const post = (call_id?: string, tool_name = 'bash', success = true): void =>
    say('tool:post', {
      tool_name,
      operation: 'run',
      result: { success },
      ...(call_id === undefined ? {} : { call_id }),
    });
  const delta = (text: string, block_index = 0): void => say('content_block:delta', { delta: text, block_index });
  const end = (response = ''): void => say('prompt:complete', { response });

  describe('of any stream', () => {
    it('keeps the grammar', () => {
      fc.assert(
        fc.property(laxSession, fc.boolean(), (events, warnsAboutDeniedRuns) => {
          const grammar = new SessionGrammar();
          for (const event of normalized(events, { warnsAboutDeniedRuns })) {
            assert.equal(grammar.checkEvent(event)?.rule, undefined, JSON.stringify(event));
          }
        }),
      );
    });

    it('is the same when it is made again', () => {
      fc.assert(
        fc.property(laxSession, fc.boolean(), (events, warnsAboutDeniedRuns) => {
          const once = normalized(events, { warnsAboutDeniedRuns });
          assert.deepEqual(normalized(once, { warnsAboutDeniedRuns }), once);
        }),
      );
    });

    it('loses and repeats no text', () => {
      fc.assert(
        fc.property(laxSession, (events) => {
          const text: SessionEvent[] = [];
          const expected = new Set<string>();
          let heardOf = 0;
          const seen = new SessionNormalizer((event) => {
            heardOf++;
            text.push(event);
          });
          for (const event of events) {
            const before = heardOf;
            seen.normalize(event);
            const isDropped = heardOf === before;
            // The end of a turn that has ended is no news, and after the session nothing is.
            if (isDropped && event.event === 'prompt:complete') continue;
            if (isDropped && text.at(-1)?.event === 'session:end') continue;
            for (const [word] of JSON.stringify(event.data).matchAll(/w\d+/gu)) expected.add(word);
          }
          const words = [...said(text).matchAll(/w\d+/gu)].map(([word]) => word);
          assert.deepEqual(words.toSorted(), [...expected].toSorted());
        }),
      );
    });
  });

  describe('its text', () => {
    it('has blocks that were not announced, each with its own index', () => {
      delta('a');
      delta('b');
      pre('c');
      delta('c');
      end();
      assert.deepEqual(heard('block_index', 'delta', 'response'), [
        ['content_block:start', 0],
        ['content_block:delta', 0, 'a'],
        ['content_block:delta', 0, 'b'],
        ['content_block:end', 0],
        'tool:pre',
        ['content_block:start', 1],
        ['content_block:delta', 1, 'c'],
        ['content_block:end', 1],
        'tool:error',
        ['prompt:complete', 'ab\n\nc'],
      ]);
    });

    it('passes a delta of an open block on as it came', () => {
      delta('a');
      const event: SessionEvent = {
        event: 'content_block:delta',
        data: { session_id: 's', block_index: 0, delta: 'b' },
      };
      normalizer.normalize(event);
      assert.equal(told.at(-1), event);
    });

    it('has no empty deltas, and no end of a block that is not open', () => {
      delta('');
      say('thinking:delta', { delta: '' });
      say('thinking:final', { thinking: ' ' });
      say('content_block:end', { block_index: 0 });
      assert.deepEqual(heard(), []);
    });

    it('gets what only the response has, and is told by it whole', () => {
      delta('All ');
      end('All of it');
      assert.deepEqual(heard('delta', 'response'), [
        'content_block:start',
        ['content_block:delta', 'All '],
        ['content_block:delta', 'of it'],
        'content_block:end',
        ['prompt:complete', 'All of it'],
      ]);
    });

    it('shows a picture in a block that begins', () => {
      say('content_block:media', { block_index: 3, content: { type: 'link', uri: 'file:///a' } });
      assert.deepEqual(heard('block_index', 'block_type'), [
        ['content_block:start', 0, 'link'],
        ['content_block:media', 0],
      ]);
    });

    it('begins at block 0 again when the agent speaks after its turn', () => {
      delta('a');
      end();
      heard();
      delta('late');
      say('prompt:submit', { prompt: 'go on' });
      assert.deepEqual(heard('block_index'), [
        ['content_block:start', 0],
        ['content_block:delta', 0],
        ['content_block:end', 0],
        'prompt:submit',
      ]);
    });
  });

  describe('a thought', () => {
    it('ends where text begins, and is not repeated', () => {
      say('thinking:delta', { delta: 'all of ' });
      say('thinking:delta', { delta: 'it' });
      delta('x');
      say('thinking:final', { thinking: 'all  of it' });
      assert.deepEqual(heard('thinking', 'delta'), [
        ['thinking:delta', 'all of '],
        ['thinking:delta', 'it'],
        ['thinking:final', 'all of it'],
        'content_block:start',
        ['content_block:delta', 'x'],
      ]);
    });

    it('gets the tail that only its end has', () => {
      say('thinking:delta', { delta: 'all of' });
      say('thinking:final', { thinking: 'all of it' });
      assert.deepEqual(heard('delta', 'thinking'), [
        ['thinking:delta', 'all of'],
        ['thinking:delta', ' it'],
        ['thinking:final', 'all of it'],
      ]);
    });

    it('is another one when its end says something else', () => {
      say('thinking:delta', { delta: 'this' });
      say('thinking:final', { thinking: 'that' });
      assert.deepEqual(heard('thinking'), ['thinking:delta', ['thinking:final', 'this'], ['thinking:final', 'that']]);
    });

    it('is what a block of that type tells', () => {
      say('content_block:start', { block_type: 'thinking', block_index: 0 });
      delta('hm');
      say('content_block:end', { block_index: 0 });
      say('thinking:final', { thinking: 'hm' });
      delta('text');
      assert.deepEqual(heard('delta', 'thinking', 'block_index'), [
        ['thinking:delta', 'hm'],
        ['thinking:final', 'hm'],
        ['content_block:start', 0],
        ['content_block:delta', 'text', 0],
      ]);
    });
  });

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

  describe('a turn', () => {
    it('ends before the next one begins, and before its session ends', () => {
      delta('half');
      say('prompt:submit', { prompt: 'another' });
      say('session:end', {});
      delta('late');
      assert.deepEqual(heard('request_id', 'response', 'stop_reason'), [
        'content_block:start',
        'content_block:delta',
        'content_block:end',
        ['prompt:complete', 'r1', 'half', 'interrupted'],
        'prompt:submit',
        ['prompt:complete', '', 'interrupted'],
        'session:end',
      ]);
    });

    it('of the history has an end that does not mention how it ended', () => {
      end();
      say('prompt:submit', { prompt: 'old', replayed: true });
      say('prompt:submit', { prompt: 'new' });
      assert.deepEqual(heard('stop_reason', 'prompt'), [
        'prompt:complete',
        ['prompt:submit', 'old'],
        'prompt:complete',
        ['prompt:submit', 'new'],
      ]);
    });

    it('ends once', () => {
      end();
      end('twice');
      say('error', { error: 'broken' });
      end('thrice');
      assert.deepEqual(heard(), ['prompt:complete', 'error']);
    });

    it('does not repeat the text from before the session was resumed', () => {
      told = [];
      normalizer = new SessionNormalizer((event) => told.push(event));
      delta(' and half');
      end('Half and half');
      assert.deepEqual(heard('delta', 'response'), [
        'session:start',
        'content_block:start',
        ['content_block:delta', ' and half'],
        'content_block:end',
        ['prompt:complete', ' and half'],
      ]);
    });

    it('does not repeat events from before the session was resumed', () => {
      told = [];
      normalizer = new SessionNormalizer((event) => told.push(event), { textBeforeResume: 'Half' });
      delta(' and half');
      assert.equal(normalizer.emittedTurnText, 'Half\n\n and half');
      end('Half and half, and more');
      say('prompt:submit', { prompt: 'again' });
      end('Half again');
      assert.deepEqual(heard('delta', 'response').slice(1), [
        'content_block:start',
        ['content_block:delta', ' and half'],
        ['content_block:delta', ', and more'],
        'content_block:end',
        ['prompt:complete', ' and half, and more'],
        'prompt:submit',
        'content_block:start',
        ['content_block:delta', 'Half again'],
        'content_block:end',
        ['prompt:complete', 'Half again'],
      ]);
    });

    it('may have been running when the session was resumed', () => {
      told = [];
      normalizer = new SessionNormalizer((event) => told.push(event));
      end('the answer');
      end('another');
      assert.deepEqual(heard('delta'), [
        'session:start',
        'content_block:start',
        ['content_block:delta', 'the answer'],
        'content_block:end',
        'prompt:complete',
      ]);
    });
  });
});
