import assert from 'node:assert/strict';
import { recognizeIntent } from '../../../../src/acp/demo/answer/intent';
import { createOutline } from '../../../../src/acp/demo/skills/outline';
import { resolvePromptPath, toPrompt } from '../../../../src/acp/demo/answer/prompt';
import { replaceWord } from '../../../../src/acp/demo/skills/replaceWord';
import { sortImports } from '../../../../src/acp/demo/skills/sortImports';

describe('the demo agent understands', () => {
  const understood = (text: string) => recognizeIntent({ text, files: [], notes: [] });
  const cases: [text: string, intent: object][] = [
    ['hello', { kind: 'help' }],
    ['/help', { kind: 'help' }],
    ['What can you do?', { kind: 'help' }],
    ['summarize README.md', { kind: 'summarize', paths: ['README.md'] }],
    ['what is in @src/a.ts?', { kind: 'summarize', paths: ['@src/a.ts'] }],
    ['/summarize my file.txt', { kind: 'summarize', paths: ['my file.txt'] }],
    ['/summarise my file.txt', { kind: 'summarize', paths: ['my file.txt'] }],
    ['rename foo to bar in src/a.ts', { kind: 'rename', from: 'foo', to: 'bar', path: 'src/a.ts' }],
    ['/rename `foo` to `bar` in a.ts', { kind: 'rename', from: 'foo', to: 'bar', path: 'a.ts' }],
    ['rename foo to bar', { kind: 'rename', from: 'foo', to: 'bar', path: undefined }],
    ['rename foo to bar everywhere', { kind: 'renameEverywhere', from: 'foo', to: 'bar', path: undefined }],
    ['/rename foo to bar in a.ts everywhere', { kind: 'renameEverywhere', from: 'foo', to: 'bar', path: 'a.ts' }],
    ['/rename foo', { kind: 'unknown' }],
    ['read src/a.ts', { kind: 'read', path: 'src/a.ts' }],
    ['sort imports in a.ts', { kind: 'sort', path: 'a.ts' }],
    ['Sort the imports of a.ts', { kind: 'sort', path: 'a.ts' }],
    ['/sort a.ts', { kind: 'sort', path: 'a.ts' }],
    ['who uses total in src/sum.ts?', { kind: 'uses', symbol: 'total', path: 'src/sum.ts' }],
    ['Who uses `total`?', { kind: 'uses', symbol: 'total', path: undefined }],
    ['/uses Sum.total in a.ts', { kind: 'uses', symbol: 'Sum.total', path: 'a.ts' }],
    ['/uses', { kind: 'unknown' }],
    ['run git log --oneline', { kind: 'run', line: 'git log --oneline' }],
    ['/run ls', { kind: 'run', line: 'ls' }],
    ['/shell rm a.txt && mv b "c d"', { kind: 'shell', command: 'rm a.txt && mv b "c d"' }],
    ['/shell', { kind: 'unknown' }],
    [
      '/write what is in it\nmore in my notes.txt',
      { kind: 'write', text: 'what is in it\nmore', path: 'my notes.txt' },
    ],
    ['/write notes.txt', { kind: 'unknown' }],
    ['slow', { kind: 'slow', words: 60 }],
    ['/slow 20', { kind: 'slow', words: 20 }],
    ['/slow 99999999', { kind: 'slow', words: 5000 }],
    ['/plan', { kind: 'plan' }],
    ['/fail crash', { kind: 'fail', how: 'crash' }],
    ['/nonsense', { kind: 'unknown' }],
    ['Why is the sky blue?', { kind: 'unknown' }],
    ['see https://example.com/a', { kind: 'unknown' }],
  ];
  for (const [text, intent] of cases) it(JSON.stringify(text), () => assert.deepEqual(understood(text), intent));

  it('an attached file as one to summarize', () => {
    assert.equal(recognizeIntent({ text: 'look', files: [{ path: '/a' }], notes: [] }).kind, 'summarize');
  });
});

describe('the demo agent reads prompts', () => {
  it('takes texts, links and embedded files, and passes over the rest', () => {
    const prompt = toPrompt([
      { type: 'text', text: ' read ' },
      { type: 'resource_link', uri: 'file:///a%20b.ts' },
      { type: 'resource', resource: { uri: 'file:///c.ts#L2', text: 'x' } },
      { type: 'image' },
    ]);
    assert.deepEqual(prompt, { text: 'read', files: [{ path: '/a b.ts' }, { path: '/c.ts', text: 'x' }], notes: [] });
  });

  it('resolves the words that name files', () => {
    assert.equal(resolvePromptPath('@src/a.ts,', '/ws'), '/ws/src/a.ts');
    assert.equal(resolvePromptPath('`/abs/a.ts`', '/ws'), '/abs/a.ts');
    assert.equal(resolvePromptPath('file:///x/a%20b', '/ws'), '/x/a b');
  });
});

describe('the demo agent outlines', () => {
  it('TypeScript', () => {
    const text = [
      "import a from 'a';",
      'export async function load() {}',
      'export abstract class Store<T> {}',
      'interface Port {}',
      'export type Id = string;',
      'const twice = (n: number): number => n * 2;',
      'const plain = 3;',
      '// TODO: tidy up',
      '/* FIXME later */',
    ].join('\r\n');
    assert.deepEqual(createOutline('x.ts', text), {
      lineCount: 9,
      importCount: 1,
      declarations: [
        { kind: 'function', name: 'load', line: 2 },
        { kind: 'class', name: 'Store', line: 3 },
        { kind: 'interface', name: 'Port', line: 4 },
        { kind: 'type', name: 'Id', line: 5 },
        { kind: 'function', name: 'twice', line: 6 },
      ],
      todos: [
        { text: 'tidy up', line: 8 },
        { text: 'later', line: 9 },
      ],
    });
  });

  it('Python, Go, Rust and Markdown', () => {
    const names = (file: string, text: string) =>
      createOutline(file, text).declarations.map(({ kind, name }) => `${kind} ${name}`);
    assert.deepEqual(names('a.py', 'class A:\n  async def b(self):\n'), ['class A', 'function b']);
    assert.deepEqual(names('a.go', 'func (s *S) Run() {\ntype S struct {\n'), ['function Run', 'type S']);
    assert.deepEqual(names('a.rs', 'pub(crate) async fn go() {}\npub struct S;\n'), ['function go', 'struct S']);
    assert.deepEqual(names('a.md', '# One\ntext\n## Two ##\n'), ['heading One', 'heading Two']);
  });

  it('counts the lines of an unknown language, an empty file included', () => {
    assert.equal(createOutline('a.xyz', 'a\nb').lineCount, 2);
    assert.equal(createOutline('a.xyz', '').lineCount, 0);
  });
});

describe('the demo agent renames', () => {
  it('whole words only, in any script', () => {
    assert.deepEqual(replaceWord('id idle $id id\nid.x grüid', 'id', 'key'), {
      text: 'key idle $id key\nkey.x grüid',
      replacementCount: 3,
      firstLine: 1,
    });
  });

  it('takes both words as they are', () => {
    assert.equal(replaceWord('a.b a-b', 'a.b', '$&').text, '$& a-b');
  });

  it('reports where the first one was', () => assert.equal(replaceWord('a\r\nb\r\nc b', 'b', 'x').firstLine, 2));
});

describe('the demo agent sorts imports', () => {
  it('of JavaScript, each run for itself, over several lines', () => {
    const text = [
      "import z from 'z';\n",
      "import {\n  b,\n} from './b';\n",
      "import type { A } from 'a';\n",
      "import './effect';\n",
      "import d from 'd';\n",
      "import c from 'c';\n",
      '\nconst x = 1;\n',
    ];
    const at = (...order: number[]) => order.map((index) => text[index]).join('');
    assert.equal(sortImports(text.join('')), at(1, 2, 0, 3, 5, 4, 6));
  });

  it('of Python', () => {
    assert.equal(
      sortImports('import sys\nfrom a import b\nimport os\n\nx = 1\n'),
      'from a import b\nimport os\nimport sys\n\nx = 1\n',
    );
  });

  it('keeps CRLF and a missing last line ending', () => {
    assert.equal(sortImports("import b from 'b';\r\nimport a from 'a';"), "import a from 'a';\r\nimport b from 'b';");
  });

  it('leaves alone what it does not understand', () => {
    for (const text of [
      'import {\n  a,\n',
      'import(x)\nimport(b)\n',
      "import a = require('a');\n",
      'important\n',
      '',
    ]) {
      assert.equal(sortImports(text), text);
    }
  });
});
