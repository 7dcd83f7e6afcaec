import assert from 'node:assert/strict';
import { Reading, chunk, message, stateIs, text, type Update } from './support/reading';

describe('messages of ACP v2', () => {
  it('are streamed in chunks, several at a time', () => {
    const reading = new Reading()
      .prompt()
      .tell(chunk('a', '1'), chunk('b', 'x'), chunk('a', '2'), chunk('b', 'y'))
      .end();
    assert.deepEqual(
      reading.all('content_block:delta').map(({ block_index, delta }) => [block_index, delta]),
      [
        [0, '1'],
        [1, 'x'],
        [0, '2'],
        [1, 'y'],
      ],
    );
  });

  it('are told whole, and continued by chunks', () => {
    const reading = new Reading()
      .prompt()
      .tell(message('a', [text('one '), text('two')]), chunk('a', ' three'))
      .end();
    assert.equal(reading.answer, 'one |two| three');
    assert.equal(reading.all('content_block:start').length, 1);
  });

  it('stay if they are told again, also without content, and get what is missing', () => {
    const reading = new Reading().prompt().tell(chunk('a', 'one'), message('a'), message('a', [text('one')]));
    assert.equal(reading.answer, 'one');
    assert.equal(reading.tell(message('a', [text('one two')])).end().answer, 'one| two');
  });

  it('can be nothing at first', () => {
    const reading = new Reading().prompt().tell(message('a'), message('b', null), message('c', [])).end();
    assert.equal(reading.answer, '');
  });

  it('keep their kinds apart: ids are unique only within one', () => {
    const thought = { sessionUpdate: 'agent_thought_chunk', messageId: 'a', content: text('hm') };
    const reading = new Reading().prompt().tell(thought, chunk('a', 'one')).end();
    assert.deepEqual([reading.last('thinking:final').thinking, reading.answer], ['hm', 'one']);
  });

  it('show content of an unknown type by its name and its words, and drop what is invalid of a known one', () => {
    const reading = new Reading().prompt();
    const charts = [
      { type: '_chart', data: [1] },
      { type: 'chart3', title: 'Sales', text: 'up' },
    ];
    reading.tell(message('a', [...charts, { type: 'image', data: 1 }, text('b')])).end();
    assert.equal(reading.answer, '[Content of the type “_chart”]|[Content of the type “chart3”: Sales\nup]|b');
  });

  it('show images and links', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const reading = new Reading()
      .prompt()
      .tell(message('a', [text('see'), image]))
      .end();
    assert.deepEqual(reading.last('content_block:media').content, {
      type: 'image',
      mime_type: 'image/png',
      data: 'AAAA',
    });
  });
});

describe('thoughts of ACP v2', () => {
  const thought = (content?: unknown): Update => ({
    sessionUpdate: 'agent_thought',
    messageId: 't',
    ...(content === undefined ? {} : { content }),
  });
  const thoughtChunk = (words: string): Update => ({
    sessionUpdate: 'agent_thought_chunk',
    messageId: 't',
    content: text(words),
  });

  it('come in chunks, whole, or first so and then so', () => {
    const reading = new Reading()
      .prompt()
      .tell(thoughtChunk('I '), thoughtChunk('think'), thought([text('I think so')]));
    assert.equal(reading.end().last('thinking:final').thinking, 'I think so');
    assert.equal(
      new Reading()
        .prompt()
        .tell(thought([text('whole')]))
        .end()
        .last('thinking:final').thinking,
      'whole',
    );
  });

  it('are one thought if they are repeated, omitted or cleared', () => {
    const reading = new Reading()
      .prompt()
      .tell(thoughtChunk('hm'), thought(), thought([text('hm')]), thought(null))
      .end();
    assert.equal(reading.all('thinking:final').length, 1);
  });
});

describe('prompts that an agent of ACP v2 tells', () => {
  const prompt = (messageId: string, words: string): Update => ({
    sessionUpdate: 'user_message',
    messageId,
    content: [text(words)],
  });
  const promptChunk = (messageId: string, words: string): Update => ({
    sessionUpdate: 'user_message_chunk',
    messageId,
    content: text(words),
  });

  it('are not shown again in our own turn, nor when they are repeated later', () => {
    const reading = new Reading().prompt().tell(prompt('u1', 'go'), chunk('a', 'ok')).end().tell(prompt('u1', 'go'));
    assert.deepEqual(
      reading.all('prompt:submit').map(({ request_id }) => request_id),
      ['r1'],
    );
  });

  it('of another client begin a turn, which ends when the agent is idle', () => {
    const reading = new Reading().tell(promptChunk('u2', 'from '), promptChunk('u2', 'afar'), chunk('a', 'ok'));
    assert.deepEqual(reading.last('prompt:submit'), { session_id: 's1', prompt: 'from afar' });
    assert.equal(reading.tell(stateIs('idle', { stopReason: 'end_turn' })).last('prompt:complete').response, 'ok');
  });

  it('of a history are its turns, and the last one stays open while the agent works', () => {
    const history = [prompt('u1', 'one'), message('a', [text('1')]), prompt('u2', 'two'), message('b', [text('2')])];
    const replay = (state: string): Reading => {
      const reading = new Reading();
      reading.mapper.startReplay();
      reading.tell(...history, stateIs(state));
      return reading.add(reading.mapper.endReplay(reading.mapper.turns.state.isAgentWorking));
    };
    assert.deepEqual(
      replay('idle')
        .all('prompt:complete')
        .map(({ response }) => response),
      ['1', '2'],
    );
    const working = replay('running');
    assert.equal(working.all('prompt:complete').length, 1);
    assert.equal(working.tell(stateIs('idle')).all('prompt:complete').length, 2);
  });
});
