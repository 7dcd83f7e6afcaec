import assert from 'node:assert/strict';
import { fileUriPath } from '../../../../../src/threads/common/model/fileUriPath';
import { firstLine } from '../../../../../src/threads/common/model/jsonValues';
import { imagePart } from '../../../../../src/threads/common/mapping/parts/images';
import { todosOf } from '../../../../../src/threads/common/mapping/parts/todos';
import { resultParts } from '../../../../../src/threads/common/mapping/parts/toolResult';
import { threadUsage } from '../../../../../src/threads/common/model/threadUsage';
import { Part, Usage } from '../../../../../src/transcript/common/entries';

describe('what tools give back', () => {
  const shown = (tool: string, result: unknown, input: unknown = {}): readonly string[] =>
    resultParts({ tool, input }, result).map((part) => part.type);

  it('is shown by its form, whatever the tool', () => {
    assert.deepEqual(shown('mcp__a__b', { output: 'x', exitCode: 1 }), ['terminal']);
    assert.deepEqual(shown('tomorrow', { diff: '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n' }), ['diff']);
    assert.deepEqual(shown('tomorrow', { content: [{ type: 'text', text: 'x' }] }), ['text']);
    assert.deepEqual(shown('tomorrow', { content: 'x' }), ['text']);
    assert.deepEqual(shown('tomorrow', { a: 1 }), ['json']);
    assert.deepEqual(shown('handoff', { newThreadID: 'T-x', message: 'Go on' }), ['text', 'list']);
    assert.deepEqual(shown('find_thread', { threads: [{ id: 'T-x', title: 'x' }] }), ['list']);
  });

  it('is no image that is loaded from somewhere', () => {
    assert.deepEqual(imagePart({ type: 'url', url: 'https://example.com/a.png' })?.type, 'link');
    assert.deepEqual(imagePart({ data: 'x'.repeat(9 * 1024 * 1024), mediaType: 'image/png' })?.type, 'text');
    assert.deepEqual(imagePart({ data: 'eA==', mediaType: 'text/html' })?.type, 'text');
    assert.equal(imagePart('x'), undefined);
  });

  it('has no link whose words are another place than the one it leads to', () => {
    const link = { type: 'link', uri: 'https://evil.example/a.png' };
    assert.deepEqual(imagePart({ type: 'url', url: link.uri }, '/home/kim/a.png'), link);
    assert.deepEqual(resultParts({ tool: 'Read', input: { path: '/home/kim/a.png' } }, { contentURL: link.uri }), [
      link,
    ]);
  });

  it('takes line numbers from a file only when all lines have them', () => {
    const [part] = resultParts({ tool: 'Read', input: {} }, { absolutePath: '/a', content: '9: a\n10: b\n12: c' });
    assert.ok(part?.type === 'file' && part.text.startsWith('9: a') && part.firstLine === undefined);
  });

  it('shows what a change would be where its result does not mention it', () => {
    const input = { path: '/a', old_str: 'one', new_str: 'two' };
    assert.deepEqual(shown('edit_file', 'Done.', input), ['diff', 'text']);
    assert.deepEqual(shown('edit_file', { diff: 'no diff' }, input), ['diff', 'text']);
    assert.deepEqual(shown('edit_file', { success: true }, input), ['diff']);
  });

  const edit = { path: '/a', old_str: 'one', new_str: 'two' };
  const bareDiff = ' const tax = 0.2;\n-one\n+two\n export {};';
  for (const [what, diff] of [
    ['in a fence', `\`\`\`diff\n${bareDiff}\n\`\`\``],
    ['bare', `${bareDiff}\n`],
    ['below the names of its files', `Index: /a\n${'='.repeat(67)}\n--- /a\toriginal\n+++ /a\tmodified\n${bareDiff}`],
  ] as const) {
    it(`shows a change without the header of its hunk once, at its lines in the file: ${what}`, () => {
      const parts = resultParts({ tool: 'edit_file', input: edit }, { diff, lineRange: [41, 43] });
      const [part] = parts;
      assert.ok(part?.type === 'diff');
      assert.deepEqual([parts.length, part.added, part.removed], [1, 1, 1]);
      const [hunk] = part.hunks;
      assert.deepEqual([hunk?.oldStart, hunk?.newStart, hunk?.lines[1]?.text], [41, 41, 'one']);
    });
  }

  it('numbers a change that only the texts of the call show by the lines that its result names', () => {
    for (const lineRange of [[41, 43], { startLine: 41, endLine: 43 }, { start: { line: 41 } }]) {
      const [part] = resultParts({ tool: 'edit_file', input: edit }, { lineRange });
      assert.ok(part?.type === 'diff');
      assert.deepEqual([part.hunks[0]?.oldStart, part.hunks[0]?.newStart], [41, 41]);
    }
    const [part] = resultParts({ tool: 'edit_file', input: edit }, { lineRange: ['x', -1] });
    assert.ok(part?.type === 'diff' && part.hunks[0]?.oldStart === 1);
  });

  const lines = '--- a\n+++ a\n@@ -1 +1 @@\n-one\n+two\n';
  /** Where the words are to be seen, in every form that nobody expects. */
  const odd: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
    ['edit_file', { message: 'WORDS' }, edit, ['diff', 'text']],
    ['edit_file', { note: { why: 'WORDS' } }, edit, ['diff', 'json']],
    ['edit_file', [{ type: 'text', text: 'WORDS' }], edit, ['diff', 'text']],
    ['edit_file', { diff: lines, message: 'WORDS' }, edit, ['diff', 'text']],
    ['create_file', { error: 'WORDS' }, { path: '/a', content: 'x' }, ['diff', 'text']],
    [
      'apply_patch',
      {
        files: [
          { path: '/a', diff: lines },
          { path: '/b', error: 'WORDS' },
        ],
      },
      {},
      ['diff', 'json'],
    ],
    ['apply_patch', { files: [{ path: '/a', diff: lines, error: 'WORDS' }] }, {}, ['diff', 'text']],
    ['apply_patch', { files: [{ path: '/a', diff: lines }], message: 'WORDS' }, {}, ['diff', 'text']],
    ['Bash', { output: ['WORDS'], exitCode: 0 }, { cmd: 'ls' }, ['terminal', 'json']],
    ['Bash', { exitCode: 1, error: 'WORDS' }, { cmd: 'ls' }, ['terminal', 'text']],
    ['Bash', { output: '', stdout: 'WORDS', exitCode: 0 }, { cmd: 'ls' }, ['terminal']],
    ['find_thread', { threads: [{ threadID: 'T-1', name: 'WORDS' }, 'T-2'] }, {}, ['list']],
    ['find_thread', { threads: [{ about: 'WORDS' }, 'T-2'] }, {}, ['json']],
    ['find_thread', { threads: ['T-2'], hint: 'WORDS' }, {}, ['list', 'text']],
    ['web_search', { results: [{ url: 'https://a.example' }], answer: 'WORDS' }, {}, ['link', 'text']],
  ];
  for (const [tool, result, input, types] of odd) {
    it(`loses nothing of ${JSON.stringify(result)} of ${tool}`, () => {
      const parts = resultParts({ tool, input }, result);
      assert.deepEqual(
        parts.map(({ type }) => type),
        types,
      );
      assert.ok(JSON.stringify(parts).includes('WORDS'));
    });
  }

  it('has no invalid line number', () => {
    const content = '99999999999999999: x';
    assert.deepEqual(resultParts({ tool: 'Read', input: {} }, { absolutePath: '/a', content }), [
      { type: 'file', path: '/a', text: content },
    ]);
    const far = lines.replace('-1 +1', '-99999999999999999,1 +99999999999999999,1');
    const [part] = resultParts({ tool: 'edit_file', input: edit }, { diff: far });
    assert.deepEqual(Part.parse(part), part);
  });

  it('has todos in three forms', () => {
    const item = { text: 'x', status: 'pending' };
    assert.deepEqual(todosOf('todo_write', { todos: [{ content: 'x', status: 'todo' }] }, undefined), [item]);
    assert.deepEqual(todosOf('todo_write', { content: '- [ ] x\n- [x] y' }, undefined), [
      item,
      { text: 'y', status: 'completed' },
    ]);
    assert.deepEqual(todosOf('todo_read', {}, [{ id: '1', content: 'x', status: 'todo' }]), [item]);
    assert.deepEqual(todosOf('todo_write', { todos: [{ content: 'x', status: 'constructor' }] }, undefined), [item]);
    assert.equal(todosOf('Read', { todos: [] }, undefined), undefined);
  });
});

describe('the usage of a thread', () => {
  const answer = (model: string, usage: Record<string, number>, messageId = 1): unknown => ({
    role: 'assistant',
    messageId,
    usage: { model, ...usage },
  });

  it('takes the uncached prompt of models of OpenAI for input', () => {
    const usage = { inputTokens: 0, outputTokens: 5, cacheCreationInputTokens: 70, cacheReadInputTokens: 30 };
    assert.deepEqual(threadUsage([answer('gpt-x', usage)], []), { input: 70, output: 5, cacheRead: 30 });
    assert.deepEqual(threadUsage([answer('claude-x', usage)], []), {
      input: 0,
      output: 5,
      cacheRead: 30,
      cacheWrite: 70,
    });
  });

  it('counts what both ledgers tell once', () => {
    const events = [{ credits: 2, tokens: { input: 10, output: 20 }, toMessageId: 1 }];
    const messages = [
      answer('claude-x', { inputTokens: 10, outputTokens: 20 }),
      answer('claude-x', { inputTokens: 1 }, 3),
    ];
    assert.deepEqual(threadUsage(messages, events), {
      input: 11,
      output: 20,
      cost: { amount: 2, currency: 'credits' },
    });
  });

  it('of a ledger without ids is that of its time: what came after it counts as well', () => {
    const at = (day: string) => `2026-${day}T00:00:00Z`;
    const events = [
      { credits: 1, tokens: { input: 100, output: 50 }, operationType: 'inference', timestamp: at('01-05') },
    ];
    const used = (inputTokens: number, timestamp?: string): unknown => ({ usage: { inputTokens, timestamp } });
    const messages = [used(100, '2026-01-05T00:00:02Z'), used(30), used(7_000, at('02-20'))];
    assert.equal(threadUsage(messages, events)?.input, 7_100);
    assert.equal(threadUsage(messages, [{ ...events[0], timestamp: 'never' }])?.input, 100);
  });

  it('of a ledger that names no message is counted once', () => {
    const events = [{ credits: 1, tokens: { input: 100 }, operationType: 'inference', toMessageId: null }];
    assert.equal(threadUsage([answer('x', { inputTokens: 100 })], events)?.input, 100);
  });

  it('stays a valid number for any file', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const usage = threadUsage([answer('x', { inputTokens: most }), answer('x', { inputTokens: most })], []);
    assert.deepEqual(Usage.parse(usage), { input: most });
    const paid = threadUsage([answer('x', { credits: 1e303 }), answer('x', { credits: 2 })], []);
    assert.deepEqual(Usage.parse(paid), { cost: { amount: 2, currency: 'credits' } });
  });

  it('is unknown without data, and ignores invalid numbers', () => {
    assert.equal(threadUsage([{ role: 'user' }, 5], [7]), undefined);
    assert.equal(threadUsage([answer('x', { inputTokens: -1, outputTokens: 1.5 })], []), undefined);
  });
});

describe('paths and lines', () => {
  it('makes paths of the URIs of all systems', () => {
    const paths: readonly (readonly [string, string | undefined])[] = [
      ['file:///home/k%C3%BC/a%20b', '/home/kü/a b'],
      ['file:///c%3A/Users/x', 'c:\\Users\\x'],
      ['file:///C:/', 'c:\\'],
      ['file://server/share', '\\\\server\\share'],
      ['file://localhost/a', '/a'],
      ['https://example.com', undefined],
      ['/plain', undefined],
    ];
    for (const [uri, path] of paths) assert.equal(fileUriPath(uri), path, uri);
  });

  it('cuts the first line that says something, between characters', () => {
    assert.equal(firstLine('\n  \n  one\ntwo'), 'one');
    assert.equal(firstLine('😀😀😀', 4), '😀…');
    assert.equal(firstLine(' \n'), '');
  });
});
