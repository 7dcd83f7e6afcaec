import assert from 'node:assert/strict';
import { EditorError } from '../../../src/editor/common/editorPort';
import { mayRevealInferredValue } from '../../../src/tools/common/editor/inferredValues';

describe('values of excluded files in types that are inferred', () => {
  const files = new Map([
    ['/ws/src/a.ts', "import { k } from './b';\nexport const a = k;"],
    [
      '/ws/src/b.ts',
      "import { KEY } from '../secret/keys.js';\nimport './c';\nexport const k = KEY; const fast = 'fast', n = 42;",
    ],
    ['/ws/src/c.ts', "import './b';\nexport const c = 'see';"],
    ['/ws/src/free.ts', "import { c } from './c2';\nexport const f = c;"],
    ['/ws/src/c2.ts', ''],
  ]);
  const resolved = (path: string): string => {
    const at = new URL(`file://${path}`).pathname;
    if (at === '/ws/secret/keys.ts') throw new EditorError('excluded', 'x');
    return at;
  };
  let reads: string[];
  const editor = {
    folders: [{ name: 'ws', path: '/ws' }],
    resolve: async (path: string) => await Promise.resolve().then(() => resolved(path)),
    readText: async (path: string) => {
      const at = await editor.resolve(path);
      const text = files.get(at);
      if (text === undefined) throw new EditorError('notFound', 'x');
      reads.push(at);
      return { path: at, text, version: '1', isDirty: false };
    },
  };
  const reveals = (file: string, ...texts: string[]): Promise<boolean> =>
    mayRevealInferredValue(texts, [file], editor, new AbortController().signal);

  beforeEach(() => {
    reads = [];
  });

  it('are found through imports, whatever the literal is', async () => {
    for (const file of ['/ws/src/a.ts', '/ws/src/b.ts', '/ws/src/c.ts']) {
      for (const text of ['const k: "hunter2"', "k: 'hunter2'", 'k: `x${string}`', 'k: 8123', 'k: -1.5e3', 'k: 12n'])
        assert.equal(await reveals(file, `\`\`\`typescript\n${text}\n\`\`\``), true, `${file} ${text}`);
    }
  });

  it('are not what the files contain that agents can read, nor marks of the display', async () => {
    for (const text of ['const k: "fast" | "see" | 42', 'function x(): void (+12 overloads)', 'const k2: string'])
      assert.equal(await reveals('/ws/src/a.ts', `\`\`\`typescript\n${text}\n\`\`\``), false, text);
  });

  it('are not looked for if no excluded file is imported', async () => {
    assert.equal(await reveals('/ws/src/free.ts', 'const f: "hunter2"'), false);
    assert.deepEqual(reads, ['/ws/src/free.ts', '/ws/src/c2.ts']);
  });

  it('are assumed if there is too much to follow', async () => {
    const many = Array.from({ length: 49 }, (_, index) => `/ws/src/m${index}`);
    for (const name of many) files.set(`${name}.ts`, "import './n1'; import './n2';");
    for (let index = 1; index <= 70; index++) files.set(`/ws/src/n${index}.ts`, `import './n${index + 1}';`);
    files.set('/ws/src/all.ts', many.map((name) => `import '.${name.slice('/ws/src'.length)}';`).join('\n'));
    assert.equal(await reveals('/ws/src/all.ts', 'const f: "hunter2"'), true);
  });
});
