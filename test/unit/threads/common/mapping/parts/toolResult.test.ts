import assert from 'node:assert/strict';
import { resultParts } from '../../../../../../src/threads/common/mapping/parts/toolResult';

const parts = (tool: string, result: unknown, input: unknown = {}) => resultParts({ tool, input }, result);
const plain = (text: string) => ({ type: 'text', text, plain: true });
const json = (value: unknown) => ({ type: 'json', json: JSON.stringify(value, undefined, 2) });

describe('the result of any tool', () => {
  it('is empty for no result or an empty text', () => {
    assert.deepEqual(parts('tomorrow', undefined), []);
    assert.deepEqual(parts('Read', undefined), []);
    assert.deepEqual(parts('tomorrow', ''), []);
    assert.deepEqual(parts('tomorrow', null), [json(null)]);
  });

  it('is words: plain ones, but markdown of subagents, pages and files', () => {
    assert.deepEqual(parts('tomorrow', 'x'), [plain('x')]);
    for (const tool of ['oracle', 'read_web_page', 'get_diagnostics'])
      assert.deepEqual(parts(tool, 'x'), [{ type: 'text', text: 'x' }], tool);
    assert.deepEqual([...parts('tomorrow', 3), ...parts('tomorrow', false)], [plain('3'), plain('false')]);
  });

  it('is a list of texts, blocks of content, or JSON when one item is neither', () => {
    assert.deepEqual(parts('tomorrow', []), [plain('No results.')]);
    assert.deepEqual(parts('tomorrow', ['a', 'b']), [{ type: 'list', items: ['a', 'b'] }]);
    const block = { type: 'text', text: 'x' };
    assert.deepEqual(parts('tomorrow', [block]), [plain('x')]);
    for (const odd of [null, 'a', { type: 'text', text: 7 }, { type: 'other', text: 'x' }]) {
      assert.deepEqual(parts('tomorrow', [block, odd]), [json([block, odd])]);
    }
  });

  it('is one block of content that is not in a list', () => {
    assert.deepEqual(parts('tomorrow', { type: 'text', text: 'x', more: 1 }), [plain('x')]);
    const image = { type: 'image', data: 'eA==', mimeType: 'image/png' };
    assert.deepEqual(parts('tomorrow', image), [{ type: 'image', mimeType: 'image/png', data: 'eA==' }]);
    assert.deepEqual(parts('tomorrow', { type: 'image', source: image }), parts('tomorrow', image));
  });

  it('is what its content says, unless that is an empty list', () => {
    assert.deepEqual(parts('tomorrow', { content: [] }), [json({ content: [] })]);
    assert.deepEqual(parts('tomorrow', { content: ['a'], a: 1 }), [{ type: 'list', items: ['a'] }]);
  });

  it('is an image when it says so in either way', () => {
    const png = { type: 'image', mimeType: 'image/png', data: 'eA==', title: '/a.png' };
    const file = { absolutePath: '/a.png', content: 'eA==' };
    for (const tool of ['tomorrow', 'Read']) {
      assert.deepEqual(parts(tool, { ...file, isImage: true }), [png]);
      assert.deepEqual(parts(tool, { ...file, imageInfo: {} }), [png]);
      const gif = { ...file, imageInfo: { mimeType: 'image/gif' } };
      assert.deepEqual(parts(tool, gif), [{ ...png, mimeType: 'image/gif' }]);
    }
    assert.deepEqual(parts('tomorrow', { isImage: true }), [json({ isImage: true })]);
    assert.deepEqual(parts('tomorrow', { isImage: false, content: 'x' }), [plain('x')]);
  });

  it('is a terminal where an exit code is', () => {
    assert.deepEqual(parts('tomorrow', { exitCode: 2 }), [{ type: 'terminal', output: '', exitCode: 2 }]);
    assert.deepEqual(parts('tomorrow', { exitCode: '2' }), [json({ exitCode: '2' })]);
  });

  it('is its one flag in words, but JSON when there is more than the flag', () => {
    assert.deepEqual(parts('tomorrow', { success: true }), [plain('Succeeded.')]);
    assert.deepEqual(parts('tomorrow', { success: false }), [plain('Failed.')]);
    assert.deepEqual(parts('tomorrow', { success: true, a: 1 }), [json({ success: true, a: 1 })]);
    assert.deepEqual(parts('tomorrow', { success: 1 }), [json({ success: 1 })]);
  });

  it('names the instructions that were found on the way', () => {
    const files = [{ uri: 'file:///w/AGENTS.md' }, null, 'x', { uri: 3 }];
    const guidance = [plain('Applicable guidance:'), { type: 'list', items: ['/w/AGENTS.md'] }];
    assert.deepEqual(parts('tomorrow', { output: 'x', discoveredGuidanceFiles: files }), [plain('x'), ...guidance]);
    assert.deepEqual(parts('tomorrow', { output: 'x', discoveredGuidanceFiles: [null] }), [plain('x')]);
  });
});

describe('the result of reading a file', () => {
  it('is the file, the entries of a folder, or a link to what is not there', () => {
    const file = { absolutePath: '/a', content: 'x' };
    assert.deepEqual(parts('Read', file), [{ type: 'file', path: '/a', text: 'x' }]);
    assert.deepEqual(parts('Read', { content: 'x' }, { path: '/b' }), [{ type: 'file', path: '/b', text: 'x' }]);
    assert.deepEqual(parts('Read', { directoryEntries: ['a'] }), [{ type: 'list', items: ['a'] }]);
    const link = [{ type: 'link', uri: 'https://a.example' }];
    assert.deepEqual(parts('Read', { contentURL: 'https://a.example' }), link);
    assert.deepEqual(parts('Read', { contentURL: 'https://a.example', isImage: true }), link);
    assert.deepEqual(parts('Read', { isImage: true, a: 1 }), [json({ isImage: true, a: 1 })]);
    assert.deepEqual(parts('Read', { a: 1 }), [json({ a: 1 })]);
  });

  it('that is a text is that text', () => assert.deepEqual(parts('Read', 'x'), [{ type: 'text', text: 'x' }]));

  it('has its own line numbers, when it has them from the first line to the last', () => {
    const file = { type: 'file', path: '/a' };
    const read = (content: string) => parts('Read', { absolutePath: '/a', content });
    assert.deepEqual(read(' 9: a\n10: b'), [{ ...file, text: 'a\nb', firstLine: 9 }]);
    assert.deepEqual(read('9:\n10:  b'), [{ ...file, text: '\n b', firstLine: 9 }]);
    assert.deepEqual(read('a\n10: b'), [{ ...file, text: 'a\n10: b' }]);
    assert.deepEqual(read('9: a\nb'), [{ ...file, text: '9: a\nb' }]);
  });
});

describe('the result of a command', () => {
  const terminal = { type: 'terminal', command: 'ls', output: 'x' };
  const run = (result: unknown) => parts('Bash', result, { cmd: 'ls' });

  it('is its output and how it ended; null when a signal ended it', () => {
    assert.deepEqual(run('x'), [terminal]);
    assert.deepEqual(run({ output: 'x', exitCode: 0 }), [{ ...terminal, exitCode: 0 }]);
    assert.deepEqual(run({ output: 'x', exitCode: null }), [{ ...terminal, exitCode: null }]);
    assert.deepEqual(run({ output: 'x', exitCode: '1' }), [terminal]);
    assert.deepEqual(run({ output: 'x', exitCode: Infinity }), [terminal]);
    assert.deepEqual(parts('Bash', 'x', { cmd: '' }), [{ type: 'terminal', output: 'x' }]);
  });

  it('is shown without output when there was none, and as JSON when nothing tells of any', () => {
    assert.deepEqual(run({ output: '' }), [{ ...terminal, output: '' }]);
    assert.deepEqual(run({ exitCode: 1 }), [{ ...terminal, output: '', exitCode: 1 }]);
    assert.deepEqual(run({ a: 1 }), [json({ a: 1 })]);
    assert.deepEqual(run(7), [plain('7')]);
    assert.deepEqual(run(null), [json(null)]);
  });

  it('has both streams where they come apart', () => {
    assert.deepEqual(run({ stdout: 'x', stderr: 'y' }), [{ ...terminal, output: 'x\ny' }]);
    assert.deepEqual(run({ stdout: '', stderr: 'x', pid: 7 }), [terminal]);
  });

  it('reports that Amp has cut it, in either form', () => {
    const cut = plain('Amp truncated this output.');
    assert.deepEqual(run({ output: 'x', truncation: true }), [terminal, cut]);
    assert.deepEqual(run({ output: 'x', truncation: { lines: 3 } }), [terminal, cut]);
    assert.deepEqual(run({ output: 'x', truncation: false }), [terminal]);
  });
});

describe('the result of a search of the web', () => {
  it('is its links, with their titles', () => {
    const hits = [{ url: 'https://a.example', title: 'A' }, { url: 'https://b.example' }];
    const links = [
      { type: 'link', uri: 'https://a.example', title: 'A' },
      { type: 'link', uri: 'https://b.example' },
    ];
    assert.deepEqual(parts('web_search', hits), links);
    assert.deepEqual(parts('web_search', { results: hits }), links);
  });

  it('is shown whole when a hit has no address, and when there is none', () => {
    for (const odd of [null, 'x', { title: 'B' }]) {
      const hits = [{ url: 'https://a.example' }, odd];
      assert.deepEqual(parts('web_search', { results: hits }), [json({ results: hits })]);
    }
    assert.deepEqual(parts('web_search', { results: [] }), [json({ results: [] })]);
    assert.deepEqual(parts('web_search', null), [json(null)]);
  });
});

describe('the result of looking for threads', () => {
  it('is their ids and titles; shown whole where one has no name, and where there is none', () => {
    assert.deepEqual(parts('find_thread', { threads: [{ id: 'T-1', title: 'A' }, { threadID: 'T-2' }, 'T-3'] }), [
      { type: 'list', items: ['T-1 A', 'T-2', 'T-3'] },
    ]);
    assert.deepEqual(parts('find_thread', { threads: [] }), [json({ threads: [] })]);
    assert.deepEqual(parts('find_thread', { threads: ['T-1', null] }), [json({ threads: ['T-1', null] })]);
    assert.deepEqual(parts('find_thread', 'None.'), [plain('None.')]);
    assert.deepEqual(parts('find_thread', null), [json(null)]);
  });
});

describe('the result of handing off', () => {
  it('is the new thread and what was said, where it is told', () => {
    const list = { type: 'list', items: ['T-1'] };
    assert.deepEqual(parts('handoff', { newThreadID: 'T-1' }), [list]);
    assert.deepEqual(parts('handoff', { newThreadID: 'T-1', message: 'Go' }), [{ type: 'text', text: 'Go' }, list]);
    assert.deepEqual(parts('handoff', { message: 'Go' }), [plain('Go')]);
    assert.deepEqual(parts('handoff', null), [json(null)]);
  });
});
