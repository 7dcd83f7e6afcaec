import assert from 'node:assert/strict';
import type { MappedThread } from '../../../../../src/threads/common/mapping/mapThread';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import { ThreadError } from '../../../../../src/threads/common/threadPorts';

const from = { source: 'local', mtimeMs: 1_000_000, nowMs: 1_000_000 } as const;

/** As a file that is written anew: nothing is shared with the reading before. */
function read(messages: unknown, previous?: MappedThread, nowMs: number = from.nowMs): MappedThread {
  return mapThreadJson(JSON.parse(JSON.stringify({ id: 'T-1', messages })), { ...from, nowMs }, previous);
}

const prompt = { role: 'user', messageId: 0, content: [{ type: 'text', text: 'Go' }] };
const asked = {
  role: 'assistant',
  messageId: 1,
  state: { type: 'streaming' },
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'c1', name: 'Read', complete: true, input: { path: '/a' } },
  ],
};
const calling = { ...asked, state: { type: 'complete', stopReason: 'tool_use' } };
const result = {
  role: 'user',
  messageId: 2,
  content: [
    { type: 'tool_result', toolUseID: 'c1', run: { status: 'done', result: { absolutePath: '/a', content: '1: a' } } },
  ],
};
const answer = {
  role: 'assistant',
  messageId: 3,
  state: { type: 'complete', stopReason: 'end_turn' },
  content: [{ type: 'text', text: 'It says a.' }],
};

describe('a thread that grows', () => {
  it('keeps all its entries when nothing has changed', () => {
    const before = read([prompt, calling, result, answer]);
    const after = read([prompt, calling, result, answer], before);
    assert.equal(after.entries.length, 5);
    for (const [index, entry] of after.entries.entries()) assert.equal(entry, before.entries[index]);
  });

  it('keeps the ids, and the entries that say the same, while a message grows and its result comes', () => {
    const first = read([prompt, asked]);
    const second = read([prompt, calling, result], first);
    assert.deepEqual(
      second.entries.map(({ id }) => id),
      first.entries.map(({ id }) => id),
    );
    assert.equal(second.entries[0], first.entries[0]);
    assert.equal(second.entries[1], first.entries[1]);
    assert.notEqual(second.entries[2], first.entries[2]);
    const tool = second.entries[2];
    assert.ok(tool?.kind === 'tool' && tool.state === 'done');
    const third = read([prompt, calling, result, answer], second);
    assert.deepEqual(third.entries.slice(0, 3), second.entries);
    for (const index of [0, 1, 2]) assert.equal(third.entries[index], second.entries[index]);
  });

  it('shows as a fresh reading does a result whose call has gone, and one whose call has come', () => {
    const odd = { ...calling, content: asked.content.slice(0, 1) };
    for (const [first, then] of [
      [calling, odd],
      [odd, calling],
    ]) {
      const after = [prompt, then, result];
      assert.deepEqual(read(after, read([prompt, first, result])).entries, read(after).entries);
    }
    assert.equal(read([prompt, odd, result]).entries.at(-1)?.kind, 'raw');
  });

  it('turns stale by time alone, and only where it runs', () => {
    const before = read([prompt, asked]);
    const after = read([prompt, asked], before, from.nowMs + 3_600_000);
    assert.equal(before.head.state, 'running');
    assert.equal(after.head.state, 'stale');
    assert.equal(after.entries[0], before.entries[0]);
    assert.deepEqual(
      after.entries.map((entry) => (entry.kind === 'tool' ? entry.state : entry.kind)),
      ['prompt', 'answer', 'stale', 'end'],
    );
  });

  it('is not believed to run when the clock is in 1970', () => {
    const { head, entries } = mapThreadJson(
      { id: 'T-1', messages: [prompt, asked] },
      { ...from, mtimeMs: 1.8e12, nowMs: 1_000 },
    );
    assert.equal(head.state, 'stale');
    assert.equal(entries.at(-1)?.kind, 'end');
  });

  it('gives messages of the same id different entries', () => {
    const { entries } = read([prompt, prompt, prompt]);
    assert.deepEqual(
      entries.map(({ id }) => id),
      ['m0', 'm0#1', 'm0#2'],
    );
  });
});

describe('the raw JSON of an entry', () => {
  const sealed = 'c2VhbGVkIHNlY3JldA';
  const thinking = {
    role: 'assistant',
    messageId: 1,
    content: [
      {
        type: 'thinking',
        thinking: 'Hm',
        signature: sealed,
        encryptedContent: sealed,
        openAI: { encrypted_content: sealed },
      },
      { type: 'redacted_thinking', data: sealed },
      { type: 'tool_use', id: 'c1', name: 'x', input: { signature: 'function f()', data: 'mine' } },
      { type: 'thinker', signature: 'kept', encryptedContent: sealed },
    ],
  };

  it('has the call and its result', () => {
    const json = read([prompt, calling, result]).rawJsonOf('m1.1') ?? '';
    assert.ok(json.includes('"tool_use"') && json.includes('"tool_result"'));
  });

  it('never shows signatures and encrypted thinking, in no entry', () => {
    const thread = read([prompt, thinking]);
    const all = thread.entries.map(({ id }) => thread.rawJsonOf(id)).join('\n');
    assert.ok(!all.includes(sealed) && !JSON.stringify(thread.entries).includes(sealed));
    assert.ok(all.includes('function f()') && all.includes('mine'));
  });

  it('is undefined for a missing entry', () => assert.equal(read([prompt]).rawJsonOf('m7'), undefined));
});

describe('documents that nobody expects', () => {
  it('rejects other files with a message', () => {
    for (const json of [null, 1, 'x', [], {}, { messages: {} }]) {
      assert.throws(
        () => mapThreadJson(json, from),
        (error) => error instanceof ThreadError && error.code === 'unreadable',
      );
    }
  });

  it('shows what is nested deeper than can be written out', () => {
    const depth = 20_000;
    const deep: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    const messages = [prompt, { role: 'user', messageId: 1, content: [{ type: 'odd', deep }] }, calling];
    const document = { id: 'T-1', messages, env: deep, meta: deep };
    const first = mapThreadJson(document, from);
    const again = mapThreadJson(document, from, first);
    assert.equal(again.entries.length, 4);
    assert.equal(again.entries.find(({ kind }) => kind === 'raw')?.id, 'm1.0');
  });

  it('takes a string of 10 MB as it is', () => {
    const text = 'x'.repeat(10 * 1024 * 1024);
    const { entries, head } = read([{ role: 'user', content: text }]);
    const [entry] = entries;
    assert.ok(entry?.kind === 'prompt' && entry.text.length === text.length);
    assert.ok((head.firstPrompt ?? '').length <= 200);
  });

  it('reads 5,000 messages', () => {
    const messages = Array.from({ length: 2_500 }, (_item, index) => [
      { ...prompt, messageId: index * 2 },
      { ...answer, messageId: index * 2 + 1 },
    ]).flat();
    const { entries, head } = read(messages);
    assert.equal(head.promptCount, 2_500);
    assert.equal(entries.length, 7_500);
    assert.equal(entries.at(-1)?.turn, 2_500);
  });

  it('leaves no field of the wrong type in the way of the others', () => {
    const names =
      'v created title agentMode env relationships originThreadID archived draft queuedMessages usageLedger meta';
    for (const odd of [
      7,
      'x',
      [],
      [null],
      {},
      { initial: 5 },
      { initial: { trees: 5, platform: [], tags: {} } },
      { events: [1] },
    ]) {
      const document = { ...Object.fromEntries(names.split(' ').map((name) => [name, odd])), messages: [prompt] };
      assert.equal(mapThreadJson(document, from).entries[0]?.id, 'm0');
    }
    const odd = {
      ...prompt,
      meta: 1,
      userState: 'x',
      fileMentions: { files: 'x' },
      parentToolUseId: {},
      messageId: {},
    };
    assert.equal(mapThreadJson({ messages: [odd] }, from).entries[0]?.kind, 'prompt');
  });
});
