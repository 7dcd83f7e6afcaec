import assert from 'node:assert/strict';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SessionEvent, type EventData, type SessionEventName } from '../../../../../src/session/common/sessionEvents';

const session_id = 's';
type Rest<Name extends SessionEventName> = Omit<EventData<Name>, 'session_id'>;
/** A shorter way to write an event of session `s`. */
const of = <Name extends SessionEventName>(event: Name, rest: Rest<Name>) =>
  SessionEvent.parse({ event, data: { session_id, ...rest } });

const start = of('session:start', {});
const end = of('session:end', {});
const submit = of('prompt:submit', { prompt: 'Hello' });
const replayed = of('prompt:submit', { prompt: 'Hello', replayed: true });
const complete = (response = '') => of('prompt:complete', { response });
const failure = of('error', { error: 'It broke.' });
const block = (block_index: number) => of('content_block:start', { block_type: 'text', block_index });
const delta = (block_index: number, text: string) => of('content_block:delta', { block_index, delta: text });
const media = (block_index: number) =>
  of('content_block:media', { block_index, content: { type: 'link', uri: 'file:///a' } });
const blockEnd = (block_index: number) => of('content_block:end', { block_index });
const thought = (text: string) => of('thinking:delta', { delta: text });
const thoughtEnd = (thinking: string) => of('thinking:final', { thinking });
const call = (call_id: string) =>
  of('tool:pre', { tool_name: 'bash', operation: 'run', input: {}, kind: 'execute', call_id });
const update = (call_id: string) => of('tool:update', { call_id });
const result = (call_id: string) =>
  of('tool:post', { tool_name: 'bash', operation: 'run', result: { success: true }, call_id });
const callFailure = (call_id: string) =>
  of('tool:error', { tool_name: 'bash', operation: 'run', error: 'No.', call_id });
const question = (approval_id: string, call_id?: string) =>
  of('approval:required', { approval_id, prompt: 'May I?', options: ['Yes'], ...(call_id && { call_id }) });
const granted = (approval_id: string) => of('approval:granted', { approval_id, decision: 'Yes' });
const denied = (approval_id: string) => of('approval:denied', { approval_id, decision: 'No' });
const notice = of('notice', { level: 'info', message: 'So.' });

/** All violations among the events, which come after the start and a prompt. */
function violationsInTurn(...events: readonly SessionEvent[]) {
  return violationsIn(start, submit, ...events);
}

function violationsIn(...events: readonly SessionEvent[]) {
  const grammar = new SessionGrammar();
  return events.flatMap((event) => grammar.checkEvent(event) ?? []);
}

describe('SessionGrammar', () => {
  describe('what it lets pass', () => {
    const normal: Record<string, readonly SessionEvent[]> = {
      'a turn with everything in it': [
        start,
        notice,
        submit,
        thought('Let '),
        thought('me see.'),
        thoughtEnd('Let me see.'),
        block(0),
        delta(0, 'First '),
        blockEnd(0),
        call('a'),
        update('a'),
        question('q', 'a'),
        granted('q'),
        result('a'),
        block(1),
        delta(1, 'then.'),
        media(1),
        blockEnd(1),
        complete('First\n\nthen.'),
        end,
      ],
      'a response that is the last step only': [
        start,
        submit,
        block(0),
        delta(0, 'One. '),
        blockEnd(0),
        block(1),
        delta(1, 'Two.'),
        blockEnd(1),
        complete('Two.'),
      ],
      'two blocks that are open at once, and a call in one of them': [
        start,
        submit,
        block(0),
        block(1),
        delta(0, 'a'),
        delta(1, 'b'),
        call('a'),
        callFailure('a'),
        blockEnd(0),
        blockEnd(1),
        complete('ab'),
      ],
      'a thought while a block is open': [start, submit, block(0), thought('Hm'), thoughtEnd('Hm'), blockEnd(0)],
      'a thought that came at once, and the same one later': [
        start,
        submit,
        thoughtEnd('Hm.'),
        call('a'),
        result('a'),
        thoughtEnd('Hm.'),
        complete(),
      ],
      'an update after the end of its call, in a later turn': [
        start,
        submit,
        call('a'),
        result('a'),
        complete(),
        update('a'),
      ],
      'a call with the id of one that has ended': [start, submit, call('a'), result('a'), call('a'), result('a')],
      'questions of no call, and of one of two': [
        start,
        submit,
        question('q'),
        denied('q'),
        call('a'),
        call('b'),
        question('r', 'b'),
        question('q'),
        granted('r'),
        granted('q'),
        result('a'),
        result('b'),
        complete(),
      ],
      'what an agent does unprompted, until the next prompt': [
        start,
        submit,
        complete(),
        call('a'),
        result('a'),
        submit,
      ],
      'what an agent does unprompted, until the end': [start, call('a'), result('a'), end],
      'the end of a turn that the agent has begun': [start, submit, complete(), call('a'), result('a'), complete()],
      'the end of a turn whose beginning nobody has heard': [
        start,
        block(0),
        delta(0, 'a'),
        blockEnd(0),
        complete('a'),
      ],
      'the end of such a turn after a history': [start, replayed, complete(), complete()],
      'failures in a turn and outside of one': [start, failure, submit, failure, failure, submit, complete(), end],
    };
    for (const [title, events] of Object.entries(normal)) {
      it(title, () => assert.deepEqual(violationsIn(...events), []));
    }
  });

  describe('what it finds', () => {
    /** Each list breaks one rule, and breaks it with its last event. */
    const broken: readonly (readonly [rule: string, title: string, events: readonly SessionEvent[]])[] = [
      ['session:start comes first', 'another event', [notice]],
      ['session:start comes once', 'a second start', [start, submit, start]],
      ['nothing follows session:end', 'a notice', [start, end, notice]],
      [
        'all events belong to one session',
        'an event of another',
        [start, of('notice', { ...notice.data, session_id: 't' })],
      ],
      ['a prompted turn ends before the next one', 'the next prompt', [start, submit, submit]],
      ['a prompted turn ends before the next one', 'the end of the session', [start, submit, end]],
      ['only an open turn ends', 'a second end', [start, submit, complete(), complete()]],
      ['only an open turn ends', 'a second unheard turn', [start, complete(), replayed, complete(), complete()]],
      ['no block stays open', 'a complete turn', [start, submit, block(0), complete()]],
      ['no block stays open', 'a failed turn', [start, submit, block(0), failure]],
      ['no block stays open', 'a prompt after an unprompted turn', [start, block(0), submit]],
      ['no block stays open', 'the end after an unprompted turn', [start, block(0), end]],
      ['no thought stays open', 'a complete turn', [start, submit, thought('a'), complete()]],
      ['no call stays open', 'a complete turn', [start, submit, call('a'), complete()]],
      ['no approval stays open', 'a complete turn', [start, submit, question('q'), complete()]],
      [
        'a response contains no text that is not in the blocks',
        'one that goes on',
        [start, submit, block(0), delta(0, 'One'), blockEnd(0), complete('One more')],
      ],
      [
        'a response contains no text that is not in the blocks',
        'the text of the turn before',
        [start, submit, block(0), delta(0, 'One'), blockEnd(0), complete('One'), submit, complete('One')],
      ],
      ['block indexes start at 0 in each turn', 'a first block', [start, submit, block(1)]],
      [
        'block indexes start at 0 in each turn',
        'the same index again',
        [start, submit, block(0), blockEnd(0), block(0)],
      ],
      [
        'block indexes start at 0 in each turn',
        'a second turn',
        [start, submit, block(0), blockEnd(0), complete(), submit, block(1)],
      ],
      ['only an open block continues or ends', 'a delta', [start, submit, delta(0, 'a')]],
      ['only an open block continues or ends', 'media', [start, submit, block(0), blockEnd(0), media(0)]],
      ['only an open block continues or ends', 'an end', [start, submit, blockEnd(0)]],
      ['no block starts or continues in a thought', 'a start', [start, submit, thought('a'), block(0)]],
      ['no block starts or continues in a thought', 'a delta', [start, submit, block(0), thought('a'), delta(0, 'a')]],
      ['no block starts or continues in a thought', 'media', [start, submit, block(0), thought('a'), media(0)]],
      ['deltas are never empty', 'text', [start, submit, block(0), delta(0, '')]],
      ['deltas are never empty', 'a thought', [start, submit, thought('')]],
      ['a thought ends with the emitted text', 'more of it', [start, submit, thought('a'), thoughtEnd('ab')]],
      ['a thought is emitted once', 'a second end', [start, submit, thought('a'), thoughtEnd('a'), thoughtEnd('a')]],
      ['a call has an id and a kind', 'no id', [start, submit, without(call('a'), 'call_id')]],
      ['a call has an id and a kind', 'no kind', [start, submit, without(call('a'), 'kind')]],
      ['a call starts once', 'while it is open', [start, submit, call('a'), call('a')]],
      ['only a call that has started is updated', 'an unknown one', [start, submit, call('a'), update('b')]],
      ['only an open call ends', 'a second result', [start, submit, call('a'), result('a'), result('a')]],
      ['only an open call ends', 'a failure of an unknown one', [start, submit, callFailure('a')]],
      ['only an open call ends', 'no id', [start, submit, call('a'), without(result('a'), 'call_id')]],
      ['an approval is requested once', 'while it waits', [start, submit, question('q'), question('q')]],
      ['an approval names the only open call', 'no call', [start, submit, call('a'), question('q')]],
      ['an approval belongs to a call that has started', 'an unknown one', [start, submit, question('q', 'a')]],
      ['only a pending approval is answered', 'never asked', [start, submit, granted('q')]],
      [
        'only a pending approval is answered',
        'answered before',
        [start, submit, question('q'), granted('q'), denied('q')],
      ],
    ];
    for (const [rule, title, events] of broken) {
      it(`"${rule}": ${title}`, () => {
        assert.deepEqual(violationsIn(...events), [{ rule, event: events.at(-1), index: events.length - 1 }]);
      });
    }
  });

  it('tells what was left open once, and counts it as closed', () => {
    const rules = violationsInTurn(block(0), call('a'), complete(), submit, block(0), blockEnd(0), complete());
    assert.deepEqual(
      rules.map(({ rule, index }) => [rule, index]),
      [['no block stays open', 4]],
    );
  });
});

function without(event: SessionEvent, member: string): SessionEvent {
  const data = Object.fromEntries(Object.entries(event.data).filter(([name]) => name !== member));
  return SessionEvent.parse({ ...event, data });
}
