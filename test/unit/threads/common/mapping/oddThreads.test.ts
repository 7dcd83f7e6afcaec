import assert from 'node:assert/strict';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import { Entry } from '../../../../../src/transcript/common/entries';
import { call, live, prompt, read, result, toolIn } from '../../support/mappedThreads';

/** Threads that say something in a way that nobody expects: it is shown all the same. */

const done = (value: unknown) => ({ status: 'done', result: value });

describe('a thread with names that every object has', () => {
  const progress = [{ message: 'm', tool_uses: [{ tool_name: 'valueOf', status: 'constructor', input: {} }] }];
  const threads = {
    'a tool': ['constructor', {}, done('WORDS')],
    'a tool called as the prototype': ['__proto__', {}, done('WORDS')],
    'a todo': ['todo_write', { todos: [{ content: 'WORDS', status: 'constructor' }] }, done('ok')],
    'a call of a subagent': ['Task', { prompt: 'p' }, { ...done('WORDS'), progress }],
  } as const;
  for (const [what, [tool, input, run]] of Object.entries(threads)) {
    it(`as that of ${what} can be opened`, () => {
      const { entries } = read([prompt('Go', 0), call(tool, input), result(run)]);
      for (const entry of structuredClone(entries)) assert.deepEqual(Entry.parse(entry), entry);
      assert.ok(JSON.stringify(entries).includes('WORDS'));
    });
  }

  it('shows what it would do while nothing is known of it', () => {
    assert.deepEqual(toolIn(read([prompt('Go', 0), call('toString', { x: 1 })])).parts, []);
  });
});

describe('a thread with odd numbers', () => {
  it('has entries that a page takes', () => {
    const selection = { activeEditor: 'file:///a', selectionRange: { startLine: Number.MAX_SAFE_INTEGER } };
    const messages = [
      { ...prompt('Go', 0), userState: selection },
      call('Bash', { cmd: 'ls' }),
      result(done({ output: 'x', exitCode: Infinity })),
    ];
    for (const entry of mapThreadJson({ messages }, live).entries) assert.deepEqual(Entry.parse(entry), entry);
  });
});

describe('a result', () => {
  const { content, ...bare } = call('Bash', { cmd: 'ls' });
  const withCall = (block: object) => ({ ...bare, content: content.map((known) => ({ ...known, ...block })) });
  const words = done({ output: 'WORDS', exitCode: 0 });

  it('is shown by its call, also when the id is a number or the name is missing', () => {
    const numbered = { ...result(words), content: [{ type: 'tool_result', toolUseID: 7, run: words }] };
    const byNumber = toolIn(read([prompt('Go', 0), withCall({ id: 7 }), numbered]));
    const nameless = toolIn(read([prompt('Go', 0), withCall({ name: undefined }), result(words)]));
    for (const { parts } of [byNumber, nameless])
      assert.ok(parts[0]?.type === 'terminal' && parts[0].output === 'WORDS');
  });

  it('is shown raw when its call has no id, or is in a message that is shown raw', () => {
    for (const odd of [withCall({ id: undefined }), { ...call('Bash', {}), role: 'odd' }]) {
      const { entries } = read([prompt('Go', 0), odd, result(words)]);
      const last = entries.at(-1);
      assert.ok(last?.kind === 'raw' && last.json.includes('WORDS'));
    }
  });

  it('belongs to the nearest call before it when ids come again', () => {
    const again = (output: string) => result(done({ output, exitCode: 0 }));
    const thread = read([
      prompt('Go', 0),
      call('Bash', { cmd: 'one' }),
      again('ONE'),
      { ...call('Bash', { cmd: 'two' }), messageId: 3 },
      again('TWO'),
    ]);
    for (const [index, words] of ['ONE', 'TWO'].entries()) {
      const { id, parts } = toolIn(thread, index);
      assert.ok(parts[0]?.type === 'terminal' && parts[0].output === words);
      assert.ok(thread.rawJsonOf(id)?.includes(words));
    }
  });

  it('that comes before its call belongs to it', () => {
    assert.equal(toolIn(read([prompt('Go', 0), result(words), call('Bash', { cmd: 'ls' })])).state, 'done');
  });

  it('that is done and tells of an error says so', () => {
    const tool = toolIn(read([prompt('Go', 0), call('x', {}), result({ ...done('ok'), error: { message: 'WORDS' } })]));
    assert.deepEqual([tool.state, tool.error], ['done', 'WORDS']);
  });

  it('without a status is shown, also that of a command of the user', () => {
    const manual = { type: 'manual_bash_invocation', args: { cmd: 'ls' }, toolRun: { result: { output: 'WORDS' } } };
    const { parts } = toolIn(read([{ role: 'info', messageId: 0, content: [manual] }]));
    assert.ok(parts[0]?.type === 'json' && parts[0].json.includes('WORDS'));
    const nothing = { role: 'user', messageId: 2, content: [{ type: 'tool_result', toolUseID: 'c1', run: null }] };
    assert.equal(toolIn(read([prompt('Go', 0), call('x', {}), nothing])).state, 'done');
  });
});

describe('what a subagent reports', () => {
  const shown = (progress: unknown): string =>
    JSON.stringify(read([prompt('Go', 0), call('Task', { prompt: 'p' }), result({ ...done('R'), progress })]).entries);

  it('is shown beside its result, whatever its form', () => {
    const message = [{ type: 'text', text: 'WORDS' }];
    for (const progress of [
      ['WORDS'],
      'WORDS',
      { turns: ['WORDS'] },
      [{ message }],
      [{ reasoning: { text: 'WORDS' } }],
    ])
      assert.ok(shown(progress).includes('WORDS'), JSON.stringify(progress));
  });

  it('is empty without content', () => {
    for (const progress of [[], {}, '', null]) assert.equal(shown(progress), shown(undefined));
  });
});

describe('a failed call', () => {
  const failed = (message: string) =>
    toolIn(read([prompt('Go', 0), call('Bash', { cmd: 'x' }), result({ status: 'error', error: { message } })]));

  it('is not a rejection if its text quotes one', () => {
    const message = 'FAIL "call is rejected by the user with feedback: no": expected true';
    const { state, error } = failed(message);
    assert.deepEqual([state, error], ['failed', message]);
  });

  it('is a rejection if its text begins like one', () => {
    for (const start of ['Tool was', 'The tool call was', 'This tool was', 'Tool use is']) {
      const { state, error } = failed(`${start} rejected by the user with feedback: use npm\nas always`);
      assert.deepEqual([state, error], ['rejected', 'use npm\nas always']);
    }
  });
});
