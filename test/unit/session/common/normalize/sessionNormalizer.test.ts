import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { normalized } from '../../../../support/normalized';
import { laxSession } from './laxSession';
import { NormalizerUnderTest } from './normalizerUnderTest';

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
  const its = new NormalizerUnderTest();
  const { delta, end, heard, normalize, pre, resume, say, start } = its;
  beforeEach(() => start());

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
      normalize(event);
      assert.equal(its.lastTold, event);
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
      resume();
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
      resume({ textBeforeResume: 'Half' });
      delta(' and half');
      assert.equal(its.emittedTurnText, 'Half\n\n and half');
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
      resume();
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
