import assert from 'node:assert/strict';
import { Reading, base64, call, text, type Update } from './support/reading';

describe('tool calls of ACP v2', () => {
  it('begin with their first update, by the defaults of the protocol', () => {
    const reading = new Reading().prompt().tell(call('c'));
    assert.deepEqual(
      [reading.last('tool:pre').kind, reading.last('tool:pre').title, reading.last('tool:pre').input],
      ['other', undefined, {}],
    );
  });

  it('keep what an update omits, and change what it has', () => {
    const details = {
      title: 'Read',
      kind: 'read',
      rawInput: { path: '/ws/a' },
      locations: [{ path: '/ws/a', line: 3 }],
    };
    const reading = new Reading()
      .prompt()
      .tell(call('c', details), call('c', { status: 'completed' }))
      .end();
    const { title, kind, locations } = reading.last('tool:post');
    assert.deepEqual([title, kind, locations], ['Read', 'read', [{ path: '/ws/a', line: 3 }]]);
  });

  it('lose what an update clears', () => {
    const content = [{ type: 'content', content: text('out') }];
    const full = {
      title: 'Read',
      kind: 'read',
      status: 'in_progress',
      content,
      locations: [{ path: '/ws/a' }],
      name: 'cat',
    };
    const cleared = { title: null, kind: null, status: null, content: null, locations: [], rawInput: null };
    const reading = new Reading().prompt().tell(call('c', { ...full, rawInput: { a: 1 } }), call('c', cleared));
    assert.deepEqual(reading.last('tool:update'), {
      session_id: 's1',
      call_id: 'c',
      title: 'cat',
      kind: 'other',
      status: 'pending',
      content: [],
      locations: [],
      input: {},
    });
    assert.deepEqual(reading.mapper.describeCall('c'), {
      name: 'cat',
      title: undefined,
      kind: 'other',
      content: [],
      locations: [],
      rawInput: undefined,
      hasEnded: false,
    });
  });

  it('get content piece by piece, and whole', () => {
    const piece = (words: string): Update => ({
      sessionUpdate: 'tool_call_content_chunk',
      toolCallId: 'c',
      content: { type: 'content', content: text(words) },
    });
    const reading = new Reading().prompt().tell(call('c'), piece('one'), piece('two'));
    assert.deepEqual(reading.last('tool:update').content, [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]);
    reading.tell(call('c', { content: [{ type: 'content', content: text('three') }] }), piece('four'));
    assert.deepEqual(reading.last('tool:update').content, [
      { type: 'text', text: 'three' },
      { type: 'text', text: 'four' },
    ]);
  });

  it('can begin with a piece of content, and end canceled', () => {
    const piece = { sessionUpdate: 'tool_call_content_chunk', toolCallId: 'c', content: { type: '_table', rows: [] } };
    const reading = new Reading().prompt().tell(piece, call('c', { status: 'cancelled' }));
    assert.deepEqual(reading.last('tool:pre').content, [{ type: 'text', text: '[Content of the type “_table”]' }]);
    assert.deepEqual([reading.last('tool:error').error, reading.last('tool:error').unfinished], ['Canceled.', true]);
  });

  it('do not end by a status that is unknown, and have the kind "other" if theirs is', () => {
    const reading = new Reading().prompt().tell(call('c', { status: '_thinking', kind: '_dance' }));
    assert.equal(reading.last('tool:pre').kind, 'other');
    assert.equal(reading.tell(call('c', { status: 'completed' })).all('tool:post').length, 1);
    assert.equal(
      new Reading()
        .prompt()
        .tell(call('c', { status: 'paused' }))
        .all('tool:post').length,
      0,
    );
  });

  it('end once, whatever is told later', () => {
    const reading = new Reading().prompt().tell(call('c', { status: 'completed' }), call('c', { status: 'failed' }));
    assert.deepEqual([reading.all('tool:post').length, reading.all('tool:error').length], [1, 0]);
  });
});

describe('terminals of ACP v2', () => {
  const shown = call('c', { kind: 'execute', content: [{ type: 'terminal', terminalId: 't' }] });
  const output = (bytes: string | Uint8Array): Update => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId: 't',
    data: base64(bytes),
  });
  const terminal = (more: object): Update => ({ sessionUpdate: 'terminal_update', terminalId: 't', ...more });
  const viewOf = (reading: Reading) => {
    const view = (reading.all('tool:update').at(-1) ?? reading.last('tool:pre')).content?.[0];
    assert.equal(view?.type, 'terminal');
    return view;
  };

  it('are shown in their calls, also if their output comes first', () => {
    const reading = new Reading().prompt().tell(output('before\n'), shown, output('after\n'));
    assert.equal(viewOf(reading).output, 'before\nafter\n');
  });

  it('get characters and colours whole whose bytes are split', () => {
    const bytes = Buffer.from('\u001b[31m\u{1F600}é\u001b[0m');
    const reading = new Reading().prompt().tell(shown, ...[...bytes].map((byte) => output(new Uint8Array([byte]))));
    assert.equal(viewOf(reading).output, '\u001b[31m\u{1F600}é\u001b[0m');
  });

  it('are replaced by a snapshot, and cleared by null', () => {
    const half = Buffer.from('é').subarray(0, 1);
    const reading = new Reading().prompt().tell(shown, output('old'), output(half));
    assert.equal(viewOf(reading.tell(terminal({ output: { data: base64('new') } }))).output, 'new');
    assert.equal(viewOf(reading.tell(output('er'), terminal({ command: 'ls', cwd: '/ws' }))).output, 'newer');
    assert.equal(viewOf(reading.tell(terminal({ output: null }))).output, '');
  });

  it('end with an exit code, a signal, or neither', () => {
    const reading = new Reading().prompt().tell(shown, terminal({ exitStatus: { exitCode: 3 } }));
    assert.deepEqual([viewOf(reading).exit_code, viewOf(reading).signal], [3, null]);
    reading.tell(terminal({ exitStatus: { signal: 'SIGKILL' } }));
    assert.deepEqual([viewOf(reading).exit_code, viewOf(reading).signal], [null, 'SIGKILL']);
    assert.equal(viewOf(reading.tell(terminal({ exitStatus: null }))).exit_code, undefined);
  });

  it('keep the newest part of a long output, and nothing of what is no base64', () => {
    const reading = new Reading().prompt().tell(shown, output('x'.repeat(200_000)), output('end'));
    assert.equal(viewOf(reading).truncated, true);
    assert.ok(viewOf(reading).output.endsWith('xend') && viewOf(reading).output.length <= 128 * 1024);
    reading.tell({ sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: '***' });
    assert.deepEqual([...reading.mapper.ignoredUpdateCounts], [['terminal_output_chunk (not understood)', 1]]);
  });
});
