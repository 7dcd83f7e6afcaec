import assert from 'node:assert/strict';
import {
  ContextCollector,
  type ContextCollectorDeps,
} from '../../../../../src/amplifier/common/context/contextCollector';
import {
  diffContext,
  appendAttachmentsToPrompt,
  withAttachedFiles,
} from '../../../../../src/amplifier/common/context/contextSource';
import { ContextSwitches } from '../../../../../src/amplifier/common/context/contextSwitches';
import { FakeEditor } from '../../../../fake/fakeEditor';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

describe('the context of an Amplifier session', () => {
  let editor: FakeEditor;
  let switches: ContextSwitches;
  let open: string[];

  beforeEach(() => {
    editor = new FakeEditor({ '/ws/a.ts': 'let a = 1;\n', '/ws/b.py': 'b = 2\n', '/ws/.env': 'KEY=secret\n' });
    switches = new ContextSwitches([], (error) => assert.fail(String(error)));
    open = ['/ws/a.ts', '/ws/b.py'];
  });

  function collector(ports: Partial<ContextCollectorDeps> = {}): ContextCollector {
    return new ContextCollector({
      editor,
      openDocuments: () => open,
      languageOf: (path) => (path.endsWith('.py') ? 'python' : 'typescript'),
      isReported: () => false,
      gitState: () =>
        Promise.resolve({
          branch: 'main',
          staged_files: ['/ws/a.ts'],
          modified_files: [],
          untracked_files: ['/ws/.env'],
        }),
      switches,
      ...ports,
    });
  }

  it('has the root, files with cursors, git, problems and the selection', async () => {
    editor.select('/ws/a.ts', { start: { line: 0, character: 4 }, end: { line: 0, character: 5 }, text: 'a' });
    const facts = { range, message: 'odd', lineText: '', startOffset: 0, endOffset: 3 };
    editor.setDiagnostics('/ws/b.py', [
      { ...facts, severity: 'information' },
      { ...facts, severity: 'error' },
    ]);
    assert.deepEqual(await collector().collect(), {
      workspace_root: '/ws',
      open_files: [
        {
          path: '/ws/a.ts',
          language: 'typescript',
          content: 'let a = 1;\n',
          cursor_position: { line: 0, character: 5 },
        },
        { path: '/ws/b.py', language: 'python', content: 'b = 2\n' },
      ],
      git_state: { branch: 'main', staged_files: ['a.ts'], modified_files: [], untracked_files: [] },
      diagnostics: [
        { path: '/ws/b.py', severity: 'error', message: 'odd', range },
        { path: '/ws/b.py', severity: 'info', message: 'odd', range },
      ],
      selection: {
        path: '/ws/a.ts',
        text: 'a',
        range: { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } },
      },
    });
  });

  it('omits files that peers may not see, including their names', async () => {
    open = ['/ws/.env', '/elsewhere/x.ts', '/ws/gone.ts'];
    const context = collector();
    assert.deepEqual((await context.collect()).open_files, undefined);
    assert.deepEqual(await context.readFiles(['/ws/.env', '/elsewhere/x.ts']), []);
    const all = JSON.stringify([await context.collect(), await context.describeKinds()]);
    assert.doesNotMatch(all, /secret|\.env|elsewhere/);
  });

  it('shows what is unsaved', async () => {
    editor.type('/ws/a.ts', 'typed');
    assert.equal((await collector().collect()).open_files?.[0]?.content, 'typed');
  });

  it('stays within its limits and reports what was cut', async () => {
    open = Array.from({ length: 30 }, (_value, index) => `/ws/${index}.ts`);
    for (const path of open) editor.setFile(path, 'x\n');
    editor.setFile('/ws/0.ts', `${'y'.repeat(99)}\n`.repeat(2000));
    const many = Array.from({ length: 500 }, () => ({
      range,
      severity: 'hint' as const,
      message: 'm',
      lineText: '',
      startOffset: 0,
      endOffset: 1,
    }));
    editor.setDiagnostics('/ws/1.ts', many);
    const { open_files: files = [], diagnostics = [] } = await collector().collect();
    assert.equal(files.length, 20);
    assert.equal(diagnostics.length, 200);
    const content = files[0]?.content ?? '';
    assert.ok(content.length < 64 * 1024 + 100);
    assert.match(content, /y\n\[134500 more characters are not shown\]\n$/);
  });

  for (const [kind, field] of [
    ['openFiles', 'open_files'],
    ['git', 'git_state'],
    ['diagnostics', 'diagnostics'],
    ['selection', 'selection'],
  ] as const) {
    it(`leaves out ${kind} when that is switched off, and the chip says so`, async () => {
      editor.select('/ws/a.ts', { ...range, text: 'let' });
      editor.setDiagnostics('/ws/a.ts', [
        { range, severity: 'error', message: 'm', lineText: '', startOffset: 0, endOffset: 3 },
      ]);
      const context = collector();
      assert.notEqual((await context.collect())[field], undefined);
      switches.setEnabled(kind, false);
      assert.equal((await context.collect())[field], undefined);
      const chip = (await context.describeKinds()).find((candidate) => candidate.kind === kind);
      assert.equal(chip?.isOn, false);
      assert.notEqual(chip.count, 0);
    });
  }

  it('names the files of Git from the folder of the session, with slashes', async () => {
    const files = (...paths: string[]) => ({
      branch: 'b',
      staged_files: paths,
      modified_files: [],
      untracked_files: [],
    });
    const asked: string[] = [];
    const context = collector({
      gitState: (folder) => {
        asked.push(folder);
        return Promise.resolve(files('/ws/src/a.ts', '/other/c.ts'));
      },
    });
    editor.setFolders('/ws', '/other');
    editor.setFile('/other/c.ts', '');
    editor.setFile('/ws/src/a.ts', '');
    assert.deepEqual((await context.collect()).git_state?.staged_files, ['src/a.ts', '/other/c.ts']);
    const other = await context.collect('/other');
    assert.deepEqual(other.git_state?.staged_files, ['/ws/src/a.ts', 'c.ts']);
    assert.equal(other.workspace_root, '/other');
    assert.deepEqual(asked, ['/ws', '/other']);
  });

  it('leaves out the problems that agents of this window have reported', async () => {
    const facts = { range, severity: 'error' as const, lineText: '', startOffset: 0, endOffset: 3 };
    editor.setDiagnostics('/ws/a.ts', [
      { ...facts, message: 'of the compiler' },
      { ...facts, message: 'of the agent' },
    ]);
    const context = collector({
      isReported: (path, { message }) => path === '/ws/a.ts' && message === 'of the agent',
    });
    const messages = (await context.collect()).diagnostics?.map(({ message }) => message);
    assert.deepEqual(messages, ['of the compiler']);
    const chip = (await context.describeKinds()).find(({ kind }) => kind === 'diagnostics');
    assert.equal(chip?.count, 1);
  });

  it('omits Git if it fails', async () => {
    const context = collector({ gitState: () => Promise.reject(new Error('git is broken')) });
    assert.equal((await context.collect()).git_state, undefined);
  });

  describe('as an update', () => {
    const told = { workspace_root: '/ws', open_files: [], selection: { path: '/ws/a', text: 'x', range } };

    it('is empty if nothing has changed', () => assert.deepEqual(diffContext(told, structuredClone(told)), {}));

    it('is complete if nothing was sent before', () => assert.deepEqual(diffContext(undefined, told), told));

    it('has the whole list of open files when some are attached, each of them once', () => {
      const file = (path: string) => ({ path, language: 'x', content: path });
      const current = { workspace_root: '/ws', open_files: [file('/ws/a'), file('/ws/b')] };
      assert.deepEqual(withAttachedFiles({}, current, [file('/ws/c'), file('/ws/b')]), {
        open_files: [file('/ws/c'), file('/ws/b'), file('/ws/a')],
      });
      assert.deepEqual(withAttachedFiles({}, current, []), {});
    });

    it('has what changed, and reports what is gone', () => {
      const git_state = { branch: 'b', staged_files: [], modified_files: [], untracked_files: [] };
      assert.deepEqual(diffContext(told, { workspace_root: '/ws', open_files: [], git_state }), {
        git_state,
        selection: null,
      });
    });
  });

  it('puts attached text into the prompt, fenced so that it cannot end early', () => {
    const text = appendAttachmentsToPrompt('Why?', [{ type: 'text', uri: 'u', title: 'Problems', text: 'a\n```\nb' }]);
    assert.equal(text, 'Why?\n\nProblems (u):\n````\na\n```\nb\n````');
    assert.equal(
      appendAttachmentsToPrompt('Why?', [{ type: 'text', title: 'So far', text: 'a' }]),
      'Why?\n\nSo far:\n```\na\n```',
    );
  });
});
