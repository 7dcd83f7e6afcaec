import fc from 'fast-check';
import { SessionEvent, type SessionEventName } from '../../../../../src/session/common/sessionEvents';

/** What the response of a turn has: nothing, the turn's text, that of its last step, more than that, or another text. */
const responses = ['none', 'whole', 'last', 'more', 'other'] as const;

type Step =
  | { readonly is: 'event'; readonly event: SessionEventName; readonly data: object }
  /** Of a text that is made up when its place is known, so that no word is in two of them. */
  | { readonly is: 'text'; readonly index: number }
  | { readonly is: 'thought'; readonly isFinal: boolean }
  | { readonly is: 'end'; readonly response: (typeof responses)[number]; readonly stops: boolean };

const index = fc.nat(2);
const question = fc.constantFrom('q1', 'q2', 'q3');
const callId = fc.constantFrom({ call_id: 'a' }, { call_id: 'b' }, { call_id: 'call-1' }, {});
const tool = fc
  .tuple(fc.constantFrom('bash', 'read'), callId)
  .map(([tool_name, id]) => ({ tool_name, operation: 'run', ...id }));
const blank = fc.constantFrom(' ', '');

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: index.map((at) => ({ is: 'text' as const, index: at })) },
  { weight: 5, arbitrary: fc.boolean().map((isFinal) => ({ is: 'thought' as const, isFinal })) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('end' as const),
      response: fc.constantFrom(...responses),
      stops: fc.boolean(),
    }),
  },
  of(
    'content_block:delta',
    1,
    index.map((block_index) => ({ block_index, delta: '' })),
  ),
  of('content_block:start', 2, fc.record({ block_index: index, block_type: fc.constantFrom('text', 'thinking') })),
  of('content_block:end', 2, fc.record({ block_index: index })),
  of(
    'content_block:media',
    1,
    fc.record({ block_index: index, content: fc.constant({ type: 'link', uri: 'file:///a' }) }),
  ),
  of('thinking:delta', 1, fc.record({ delta: blank })),
  of('thinking:final', 1, fc.record({ thinking: blank })),
  of(
    'tool:pre',
    3,
    tool.map((data) => ({ ...data, input: {} })),
  ),
  of('tool:update', 1, fc.record({ call_id: fc.constantFrom('a', 'b', 'c'), title: fc.constant('It goes on') })),
  of(
    'tool:post',
    3,
    fc.tuple(tool, fc.boolean()).map(([data, success]) => ({ ...data, result: { success } })),
  ),
  of(
    'tool:error',
    1,
    tool.map((data) => ({ ...data, error: 'failed' })),
  ),
  of(
    'approval:required',
    2,
    fc
      .tuple(question, callId)
      .map(([id, call]) => ({ approval_id: id, prompt: 'May I?', options: ['Yes', 'No'], ...call })),
  ),
  of('approval:granted', 1, fc.record({ approval_id: question, decision: fc.constant('Yes') })),
  of('approval:denied', 2, fc.record({ approval_id: question, decision: fc.constant('No') })),
  of('prompt:submit', 2, fc.record({ prompt: fc.constant('go'), replayed: fc.boolean() })),
  of('error', 1, fc.constant({ error: 'broken' })),
  of('notice', 1, fc.constant({ level: 'info', message: 'By the way' })),
  of('session:start', 1, fc.constant({})),
  of('session:end', 1, fc.constant({})),
);

/** Events in any order, as no backend should tell them. */
export const laxSession: fc.Arbitrary<SessionEvent[]> = fc.array(step, { maxLength: 60 }).map((steps) => {
  const text = new TextOfTurns();
  return steps.map((told) => SessionEvent.parse(text.eventOf(told)));
});

function of(event: SessionEventName, weight: number, data: fc.Arbitrary<object>) {
  return {
    weight,
    arbitrary: data.map((told) => ({ is: 'event' as const, event, data: { session_id: 's', ...told } })),
  };
}

class TextOfTurns {
  private words = 0;
  private said = '';
  private last = '';
  private readonly thinking = new Set<number>();

  eventOf(told: Step): { event: SessionEventName; data: object } {
    const ofSession = { session_id: 's' };
    switch (told.is) {
      case 'text': {
        const delta = this.word();
        if (!this.thinking.has(told.index)) this.saidAlso(delta);
        return { event: 'content_block:delta', data: { ...ofSession, block_index: told.index, delta } };
      }
      case 'thought': {
        this.last = '';
        const word = this.word();
        return told.isFinal
          ? { event: 'thinking:final', data: { ...ofSession, thinking: word } }
          : { event: 'thinking:delta', data: { ...ofSession, delta: word } };
      }
      case 'end': {
        const { said, last } = this;
        const more = this.word();
        const response = { none: '', whole: said, last, more: said + more, other: more }[told.response];
        this.endTurn();
        const stop = told.stops ? { stop_reason: 'cancelled' } : {};
        return { event: 'prompt:complete', data: { ...ofSession, response, ...stop } };
      }
      case 'event':
        this.follow(told);
        return { event: told.event, data: told.data };
    }
  }

  private follow({ event, data }: Extract<Step, { is: 'event' }>): void {
    if (event === 'prompt:submit' || event === 'error') this.endTurn();
    if (event === 'tool:pre') this.last = '';
    if (!('block_index' in data) || typeof data.block_index !== 'number') return;
    const isThought = 'block_type' in data && data.block_type === 'thinking';
    if (isThought) this.thinking.add(data.block_index);
    else if (event === 'content_block:start' || event === 'content_block:end') this.thinking.delete(data.block_index);
  }

  private saidAlso(text: string): void {
    this.said += text;
    this.last += text;
  }

  private endTurn(): void {
    this.said = this.last = '';
    this.thinking.clear();
  }

  private word(): string {
    return `w${++this.words} `;
  }
}
