import assert from 'node:assert/strict';
import { Reading, call, chunk, stateIs, text, type Update } from './support/reading';

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
    assert.equal(reading.mapper.turns.state.open, undefined);
    assert.equal(reading.last('notice').message, 'Built');
  });

  it('is shown by its name if it is not known, and neither begins nor ends work', () => {
    const reading = new Reading().prompt().tell(stateIs('running'), stateIs('_dreaming'), stateIs('unknown'));
    assert.deepEqual(
      reading.all('status:update').map(({ message: shown }) => shown),
      ['The agent’s state is “_dreaming”.', 'The agent’s state is unknown.'],
    );
    assert.equal(reading.mapper.turns.state.isAgentWorking, true);
  });

  it('says why a turn ended, if the reason is not known', () => {
    const reading = new Reading().tell(stateIs('running'), chunk('a', 'x'), stateIs('idle', { stopReason: 'budget' }));
    assert.equal(reading.last('prompt:complete').stop_reason, 'end_turn');
    assert.equal(reading.last('prompt:complete').unknown_stop_reason, 'budget');
    for (const stopReason of ['end_turn', null, 7]) {
      reading.tell(stateIs('running'), chunk('a', 'x'), stateIs('idle', { stopReason }));
      assert.equal(reading.last('prompt:complete').unknown_stop_reason, undefined);
    }
  });

  it('says that a turn of another client has failed', () => {
    const failed = (error?: object): Update => stateIs('idle', { stopReason: 'error', ...(error && { error }) });
    const reading = new Reading().tell(stateIs('running'), chunk('a', 'x'));
    reading.tell(failed({ code: -32603, message: 'Internal error', data: { details: 'Overloaded' } }));
    assert.deepEqual(reading.last('error'), {
      session_id: 's1',
      error: 'Overloaded',
      code: 'backend',
      details: 'Error -32603: Internal error',
    });
    reading.tell(stateIs('running'), chunk('b', 'x'), failed());
    assert.equal(reading.last('error').error, 'The agent failed without giving a reason.');
    assert.equal(reading.all('prompt:complete').length, 0);
    assert.equal(reading.mapper.turns.state.open, undefined);
  });

  it('tells the tokens of a turn that the agent began', () => {
    const usage = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };
    const reading = new Reading().tell(stateIs('running'), chunk('a', 'x'), stateIs('idle', { usage }));
    assert.deepEqual(reading.last('prompt:complete').token_usage, { input_tokens: 3, output_tokens: 2 });
  });
});

describe('a prompt that joins a turn of ACP v2', () => {
  const others: Update = { sessionUpdate: 'user_message', messageId: 'u2', content: [text('Looks ok')] };

  for (const isTaken of [true, false]) {
    it(isTaken ? 'is recognized' : 'is not expected any more if the agent has not taken it', () => {
      const reading = new Reading().prompt();
      const report = reading.updates.expectSteered('p1', 'Looks ok');
      if (!isTaken) report.forget();
      reading.end().tell(others, stateIs('running'), chunk('b', 'done'));
      assert.deepEqual(
        reading.all('prompt:submit').map(({ prompt }) => prompt),
        isTaken ? ['go'] : ['go', 'Looks ok'],
      );
      assert.deepEqual(
        reading.all('prompt:read').map(({ prompt_id }) => prompt_id),
        isTaken ? ['p1'] : [],
      );
    });
  }

  it('is certainly reported only by an agent that reports prompts, until it has left one out', () => {
    const reading = new Reading().prompt();
    const { updates } = reading;
    const isCertain = (words = 'Looks ok'): boolean => updates.expectSteered('p1', words).isCertain();
    assert.equal(isCertain(), false, 'nothing is known of the agent');
    reading.tell({ sessionUpdate: 'user_message', messageId: 'u1', content: [text('go')] });
    assert.equal(isCertain(), true);
    assert.equal(isCertain(' '), false, 'an image alone is not recognized');
    updates.handleOwnTurnEnd(true);
    assert.equal(isCertain(), true, 'a stopped agent drops what it has not read');
    updates.handleOwnTurnEnd(false);
    assert.equal(isCertain(), false);
    updates.handleOwnTurnEnd(false);
    assert.equal(isCertain(), false);
    reading.tell(others);
    assert.equal(isCertain(), true, 'it has reported one again');
    updates.markIdle();
    assert.equal(isCertain(), false, 'another program may answer');
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
