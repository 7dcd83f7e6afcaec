import assert from 'node:assert/strict';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { V2Updates } from '../../../../../src/acp/common/v2/v2Updates';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import { SubagentUpdates } from '../../../../../src/acp/common/session/subagentUpdates';
import { SessionEvent, type EventOf, type SessionEventName } from '../../../../../src/session/common/sessionEvents';

type Update = Record<string, unknown> & { readonly sessionUpdate: string };

const text = (words: string) => ({ type: 'text', text: words });
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

/** Reads updates of one session; each event has to be of the vocabulary, and together they have to be the normal form. */
class Reading {
  readonly mapper = new SessionEventMapper('s1', { monotonicNow: () => 0 });
  readonly updates = new V2Updates(this.mapper, new SubagentUpdates(this.mapper, () => false));
  readonly events: SessionEvent[] = [];
  private readonly grammar = new SessionGrammar();
  private readonly normalizer = new SessionNormalizer((event) => {
    assert.equal(this.grammar.checkEvent(event), undefined);
    assert.deepEqual(SessionEvent.parse(event), event);
    this.events.push(event);
  });

  constructor() {
    this.add([{ event: 'session:start', data: { session_id: 's1' } }]);
  }

  add(events: readonly SessionEvent[]): this {
    for (const event of events) this.normalizer.normalize(event);
    return this;
  }

  prompt(): this {
    return this.add(this.mapper.startTurn('go', 'r1'));
  }

  tell(...updates: Update[]): this {
    for (const update of updates) this.add(this.updates.mapUpdate(update));
    return this.add(this.mapper.takeTerminalUpdates());
  }

  end(): this {
    return this.add(this.mapper.endTurn({ stopReason: 'end_turn' }));
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>['data'][] {
    return this.events.filter((event) => isOf(event, name)).map(dataOf);
  }

  last<Name extends SessionEventName>(name: Name): EventOf<Name>['data'] {
    const found = this.all(name).at(-1);
    assert.ok(found, `no ${name}`);
    return found;
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  get answer(): string {
    return this.all('content_block:delta')
      .map(({ delta }) => delta)
      .join('|');
  }
}

function dataOf<Event extends SessionEvent>(event: Event): Event['data'] {
  return event.data;
}

function isOf<Name extends SessionEventName>(event: SessionEvent, name: Name): event is EventOf<Name> {
  return event.event === name;
}

const message = (messageId: string, content?: unknown): Update => ({
  sessionUpdate: 'agent_message',
  messageId,
  ...(content === undefined ? {} : { content }),
});
const chunk = (messageId: string, words: string): Update => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: text(words),
});
const call = (toolCallId: string, more: object = {}): Update => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...more,
});
const stateIs = (state: string, more: object = {}): Update => ({ sessionUpdate: 'state_update', state, ...more });

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
      title: undefined,
      kind: 'other',
      content: [],
      locations: [],
      rawInput: {},
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

describe('plans, options and commands of ACP v2', () => {
  const plan = (planId: string, ...entries: object[]): Update => ({
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId, entries },
  });
  const entry = (content: string, status = 'pending') => ({ content, priority: 'high', status });

  it('show all plans, each by its last update', () => {
    const reading = new Reading().prompt();
    reading.tell(plan('a', entry('one')), plan('b', entry('two', 'cancelled')), plan('a', entry('one', 'completed')));
    assert.deepEqual(
      reading.last('plan:update').entries.map(({ content, status }) => [content, status]),
      [
        ['one', 'completed'],
        ['two', 'cancelled'],
      ],
    );
  });

  it('show plans that are no list: Markdown line by line, a file by its address, others by their type', () => {
    const told = (plan: object): Update => ({ sessionUpdate: 'plan_update', plan });
    const reading = new Reading().prompt();
    reading.tell(
      told({ type: 'markdown', planId: 'm', content: 'Steps:\n\n- [x] one\n2. [ ] two\n' }),
      told({ type: 'file', planId: 'f', uri: 'file:///ws/plan.md' }),
      told({ type: '_graph', planId: 'g', title: 'Two nodes' }),
      plan('a', entry('three')),
      told({ type: 'items', planId: 7 }),
    );
    assert.deepEqual(
      reading.last('plan:update').entries.map(({ content, status }) => [content, status]),
      [
        ['Steps:', 'pending'],
        ['one', 'completed'],
        ['two', 'pending'],
        ['The plan is in file:///ws/plan.md', 'pending'],
        ['[Plan of the type “_graph”: Two nodes]', 'pending'],
        ['three', 'pending'],
      ],
    );
    assert.deepEqual([...reading.mapper.ignoredUpdateCounts], [['plan_update (not understood)', 1]]);
  });

  it('read a plan in Markdown with any line ends, and at once with much white space', () => {
    const content = ['1. [X] one', '**two** and', '  - three', '-5 degrees', `${' '.repeat(300)}four\rfive`].join(
      '\r\n',
    );
    const reading = new Reading().prompt();
    reading.tell({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'm', content } });
    assert.deepEqual(
      reading.last('plan:update').entries.map(({ content: words, status }) => [words, status]),
      [
        ['one', 'completed'],
        ['**two** and', 'pending'],
        ['three', 'pending'],
        ['-5 degrees', 'pending'],
        ['four', 'pending'],
        ['five', 'pending'],
      ],
    );
  });

  it('lose a plan that is removed', () => {
    const removed = (planId: string): Update => ({ sessionUpdate: 'plan_removed', planId });
    const reading = new Reading().prompt().tell(plan('a', entry('one')), plan('b', entry('two')), removed('a'));
    assert.deepEqual(
      reading.last('plan:update').entries.map(({ content }) => content),
      ['two'],
    );
    assert.equal(reading.tell(removed('never')).all('plan:update').length, 3);
  });

  it('offer options by category, in groups, and leave out those of unknown types', () => {
    const option = { name: 'Model', category: 'model', currentValue: 'a' };
    const options = [{ value: 'a', name: 'A' }];
    const reading = new Reading().tell({
      sessionUpdate: 'config_option_update',
      configOptions: [
        { ...option, type: 'select', configId: 'm', options: [{ groupId: 'g', name: 'Group', options }] },
        { type: 'boolean', configId: 'w', name: 'Web', category: '_mine', currentValue: true },
        { type: '_slider', configId: 's', name: 'Heat' },
      ],
    });
    assert.deepEqual(reading.last('config:update').options, [
      {
        id: 'm',
        name: 'Model',
        category: 'model',
        type: 'select',
        value: 'a',
        choices: [{ ...options[0], group: 'Group' }],
      },
      { id: 'w', name: 'Web', category: '_mine', type: 'boolean', value: true },
    ]);
  });

  it('list commands with their hints', () => {
    const availableCommands = [
      { type: 'command', name: 'plan', description: 'Plans', input: { type: 'text', hint: 'what' } },
      { type: '_macro', name: 'all', description: 'Everything' },
    ];
    const reading = new Reading().tell({ sessionUpdate: 'available_commands_update', availableCommands });
    assert.deepEqual(reading.mapper.commands, [
      { name: 'plan', description: 'Plans', hint: 'what' },
      { name: 'all', description: 'Everything' },
    ]);
  });
});

describe('the state of ACP v2', () => {
  it('says that the agent waits for the user, and that it goes on', () => {
    const reading = new Reading().prompt().tell(stateIs('running'), stateIs('requires_action'), stateIs('running'));
    assert.deepEqual(
      reading.all('status:update').map(({ status }) => status),
      ['requires_action', 'running'],
    );
  });

  it('does not end a turn of this window: the prompt does', () => {
    const reading = new Reading().prompt().tell(stateIs('running'), stateIs('idle', { stopReason: 'end_turn' }));
    assert.equal(reading.all('prompt:complete').length, 0);
  });

  it('ends a turn that the agent began, once', () => {
    const reading = new Reading().prompt().end();
    reading.tell(
      stateIs('running'),
      chunk('b', 'done'),
      stateIs('idle', { stopReason: 'max_tokens' }),
      stateIs('idle'),
    );
    assert.deepEqual(reading.all('prompt:complete').slice(1), [
      { session_id: 's1', response: 'done', stop_reason: 'max_tokens' },
    ]);
  });

  it('lets work of an earlier turn end while the agent is idle, without a new turn', () => {
    const reading = new Reading()
      .prompt()
      .tell(call('c', { title: 'Build' }))
      .end();
    reading.tell(call('c', { status: 'completed' }), { sessionUpdate: 'notice', severity: 'warning', title: 'Built' });
    assert.equal(reading.mapper.openTurn, 'none');
    assert.equal(reading.last('notice').message, 'Built');
  });

  it('is shown by its name if it is not known, and neither begins nor ends work', () => {
    const reading = new Reading().prompt().tell(stateIs('running'), stateIs('_dreaming'), stateIs('unknown'));
    assert.deepEqual(
      reading.all('status:update').map(({ message: shown }) => shown),
      ['The agent’s state is “_dreaming”.', 'The agent’s state is unknown.'],
    );
    assert.equal(reading.updates.isWorking, true);
  });

  it('says why a turn ended, if the reason is not known', () => {
    const reading = new Reading().tell(stateIs('running'), chunk('a', 'x'), stateIs('idle', { stopReason: 'budget' }));
    assert.equal(reading.last('prompt:complete').stop_reason, 'end_turn');
    assert.equal(reading.last('notice').message, 'The agent stopped. Reason: budget');
    for (const stopReason of ['end_turn', 'error', null, 7]) reading.tell(stateIs('idle', { stopReason }));
    assert.equal(reading.all('notice').length, 1);
  });

  it('tells the tokens of a turn that the agent began', () => {
    const usage = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };
    const reading = new Reading().tell(stateIs('running'), chunk('a', 'x'), stateIs('idle', { usage }));
    assert.deepEqual(reading.last('prompt:complete').token_usage, { input_tokens: 3, output_tokens: 2 });
  });
});

describe('updates of ACP v2 that are not known', () => {
  const future = (more: object): Update => ({ sessionUpdate: 'weather_update', ...more });

  it('are told to the user once for each kind, with their words', () => {
    const reading = new Reading()
      .prompt()
      .tell(future({ title: 'Rain', content: [text('in '), text('Kyoto')] }), future({ title: 'Sun' }), future({}));
    assert.deepEqual(
      reading.all('notice').map(({ message: shown }) => shown),
      ['Backline can’t show an update of the type “weather_update” from the agent.\nRain\nin Kyoto'],
    );
    assert.deepEqual([...reading.mapper.ignoredUpdateCounts], [['weather_update', 3]]);
  });

  it('are only counted if they are extensions, part of a history, or many kinds', () => {
    const reading = new Reading().tell({ sessionUpdate: '_mine', title: 'x' });
    reading.mapper.startReplay();
    reading.tell(future({})).add(reading.mapper.endReplay());
    assert.equal(reading.all('notice').length, 0);
    for (let count = 0; count < 30; count++) reading.tell({ sessionUpdate: `kind${count}` });
    assert.equal(reading.all('notice').length, 20);
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
      return reading.add(reading.mapper.endReplay(reading.updates.isWorking));
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
