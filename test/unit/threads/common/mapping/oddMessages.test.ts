import assert from 'node:assert/strict';
import fc from 'fast-check';
import { call, prompt, read, toolIn, textsIn } from '../../support/mappedThreads';

const words = 'what was said';

/** The ways in which one and the same text is written. */
const contents: readonly object[] = [
  { content: words },
  { content: [{ type: 'text', text: words }] },
  { content: [words] },
  { content: { type: 'text', text: words } },
  { text: words },
  { content: null, text: words },
];

describe('a message of a thread', () => {
  for (const content of contents) {
    it(`shows what it says, also as ${JSON.stringify(content)}`, () => {
      const messages = [
        { role: 'user', messageId: 0, ...content },
        { role: 'assistant', messageId: 1, ...content },
      ];
      const thread = read(messages);
      const said = thread.entries.flatMap((entry) => ('text' in entry ? [[entry.kind, entry.text]] : []));
      assert.deepEqual(said.slice(0, 2), [
        ['prompt', words],
        ['answer', words],
      ]);
      assert.equal(thread.head.promptCount, 1);
      assert.equal(thread.head.firstPrompt, words);
      assert.deepEqual(
        textsIn({ messages }).map(({ text }) => text),
        [words, words],
      );
    });
  }

  it('that is empty shows nothing, and is no unknown form', () => {
    for (const content of [{ content: null }, { content: [] }, {}]) {
      const { entries } = read([prompt('Go', 0), { role: 'user', messageId: 1, ...content }]);
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        ['prompt'],
      );
    }
  });

  it('shows every text in it, under whatever name', () => {
    const key = fc.constantFrom('text', 'body', 'message', 'parts', 'value');
    const role = fc.constantFrom('user', 'assistant', 'info');
    const content = fc.constantFrom({}, { content: null });
    fc.assert(
      fc.property(role, key, content, (by, name, empty) => {
        const { entries } = read([{ role: by, messageId: 1, ...empty, [name]: words }]);
        assert.ok(JSON.stringify(entries).includes(words), JSON.stringify(entries));
      }),
    );
  });
});

describe('a call without a name or an input', () => {
  const odd = (block: object) => ({
    role: 'assistant',
    messageId: 1,
    content: [{ type: 'tool_use', id: 'c1', ...block }],
  });

  it('shows its text in place of its input', () => {
    const { input, name } = toolIn(read([prompt('Go', 0), odd({ text: words })]));
    assert.deepEqual([name, input], ['Unnamed tool', words]);
  });

  it('shows whatever else it has', () => {
    const { input } = toolIn(read([prompt('Go', 0), odd({ name: 'X', arguments: { a: words } })]));
    assert.ok(input?.includes(words));
  });

  it('shows its input and nothing else when it has one', () => {
    const { input } = toolIn(read([prompt('Go', 0), call('X', { a: 1 })]));
    assert.deepEqual(JSON.parse(input ?? ''), { a: 1 });
  });
});
