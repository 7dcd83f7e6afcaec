import assert from 'node:assert/strict';
import { textVersion } from '../../../src/editor/common/text/textVersion';
import { ToolBench } from './support/fakeLanguage';
import { bench, code, main } from './support/parserWorkspace';

const edited = (path: string, made: ToolBench): string => made.editor.diskText(path);

describe('edit_file', () => {
  it('replaces exact text, in one write that is recorded as the caller’s', async () => {
    const made = bench();
    const answer = await made.call('edit_file', {
      path: 'src/main.ts',
      edits: [
        { old_text: 'return text;', new_text: 'return text.trim();' },
        { old_text: 'new Parser()', new_text: 'new Parser(1)' },
      ],
    });
    const after = code.replace('return text;', 'return text.trim();').replace('new Parser()', 'new Parser(1)');
    assert.equal(edited(main, made), after);
    assert.equal(answer, `Edited src/main.ts at lines 3, 6. It has version ${textVersion(after)} now.`);
    assert.deepEqual(made.caller.written, [main]);
    assert.deepEqual(made.caller.changes, [
      { purpose: `edit ${main}`, files: [{ path: main, before: code, after, protection: undefined }] },
    ]);
  });

  it('asks for the file that a link leads to, and writes through the link', async () => {
    const made = bench();
    made.editor.links.set(main, '/ws/.vscode/real.ts');
    await made.call('edit_file', { path: 'src/main.ts', edits: [{ old_text: 'return text;', new_text: 'return;' }] });
    assert.deepEqual(
      made.caller.changes.flatMap(({ files }) => files.map(({ path }) => path)),
      ['/ws/.vscode/real.ts'],
    );
    assert.deepEqual(made.caller.written, [main]);
  });

  it('replaces, inserts and removes lines of the version that was read', async () => {
    const made = new ToolBench({ '/ws/a.txt': 'one\ntwo\nthree' });
    const version = /version (\w+)/.exec(await made.call('read_file', { path: 'a.txt' }))?.[1];
    const edits = [
      { from: 1, to: 0, new_text: 'zero' },
      { from: 2, new_text: '' },
      { from: 4, to: 3, new_text: 'four' },
    ];
    await assert.rejects(made.call('edit_file', { path: 'a.txt', edits }), /Give the version/);
    await made.call('edit_file', { path: 'a.txt', version, edits });
    assert.equal(edited('/ws/a.txt', made), 'zero\none\nthree\nfour');
    await assert.rejects(made.call('edit_file', { path: 'a.txt', version, edits }), /has changed since you read it/);
  });

  it('keeps the line endings of the file', async () => {
    const made = new ToolBench({ '/ws/a.txt': 'one\r\ntwo\r\nthree\r\n' });
    await made.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one\ntwo', new_text: '1\n2' }] });
    assert.equal(edited('/ws/a.txt', made), '1\r\n2\r\nthree\r\n');
  });

  it('reports what is wrong with edits, and changes nothing', async () => {
    const made = new ToolBench({ '/ws/a.txt': 'one\ntwo\none\n' });
    const version = textVersion('one\ntwo\none\n');
    const wrong: readonly [object[], RegExp][] = [
      [[{ old_text: 'three', new_text: '' }], /a\.txt does not have this text: three/],
      [[{ old_text: 'one', new_text: '1' }], /this text 2 times, in lines 1, 3\. Give more/],
      [[{ new_text: 'all' }], /Give old_text, or from and to/],
      [[{ old_text: 'two', from: 2, new_text: '2' }], /Give old_text, or from and to/],
      [[{ from: 9, new_text: '' }], /a\.txt has 4 lines: there is no line 9/],
      [[{ from: 3, to: 1, new_text: '' }], /"to" is before "from"/],
      [
        [
          { old_text: 'one\ntwo', new_text: '' },
          { old_text: 'two', new_text: '2' },
        ],
        /Two edits overlap/,
      ],
      [[{ old_text: 'two', new_text: 'two' }], /change nothing/],
      [[], /edits/],
    ];
    for (const [edits, message] of wrong)
      await assert.rejects(made.call('edit_file', { path: 'a.txt', version, edits }), message);
    assert.equal(edited('/ws/a.txt', made), 'one\ntwo\none\n');
    assert.deepEqual(made.caller.changes, []);
    await made.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1', all: true }] });
    assert.equal(edited('/ws/a.txt', made), '1\ntwo\n1\n');
  });

  it('creates files, and only those', async () => {
    const made = bench();
    assert.match(
      await made.call('edit_file', { path: 'new.ts', edits: [{ new_text: 'new\n' }] }),
      /^Created new\.ts\./,
    );
    assert.equal(edited('/ws/new.ts', made), 'new\n');
    const edits = [{ old_text: 'a', new_text: 'b' }];
    await assert.rejects(made.call('edit_file', { path: 'other.ts', edits }), /does not exist\. To create it/);
    made.caller.answer = () => {
      made.editor.setFile('/ws/late.ts', 'late');
      return Promise.resolve({ isGranted: true });
    };
    await assert.rejects(
      made.call('edit_file', { path: 'late.ts', edits: [{ new_text: 'mine' }] }),
      /created in the meantime/,
    );
    assert.equal(edited('/ws/late.ts', made), 'late');
  });

  it('keeps text that is not saved, and does not save it', async () => {
    const made = new ToolBench({ '/ws/a.txt': 'one\n' });
    made.editor.type('/ws/a.txt', 'one\ntyped\n');
    const answer = await made.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }] });
    assert.match(answer, /It is not saved, because it has unsaved changes/);
    assert.equal(made.editor.bufferText('/ws/a.txt'), '1\ntyped\n');
    assert.equal(edited('/ws/a.txt', made), 'one\n');
  });

  it('writes only what was allowed: not after a no, not over a later text, not after the call was cancelled', async () => {
    const made = new ToolBench({ '/ws/a.txt': 'one\n' });
    const edits = [{ old_text: 'one', new_text: '1' }];
    made.caller.answer = () => Promise.resolve({ isGranted: false, reason: 'The user said no.' });
    await assert.rejects(made.call('edit_file', { path: 'a.txt', edits }), /Nothing was changed\. The user said no\./);
    made.caller.answer = () => {
      made.editor.setFile('/ws/a.txt', 'one, later\n');
      return Promise.resolve({ isGranted: true });
    };
    await assert.rejects(made.call('edit_file', { path: 'a.txt', edits }), /has changed/);
    const cancelled = new AbortController();
    made.caller.answer = () => {
      cancelled.abort();
      return Promise.resolve({ isGranted: true });
    };
    await assert.rejects(made.call('edit_file', { path: 'a.txt', edits }, cancelled.signal));
    assert.equal(edited('/ws/a.txt', made), 'one, later\n');
    assert.deepEqual(made.caller.written, []);
  });

  it('explains why a file is protected, and writes it once it is allowed', async () => {
    const made = new ToolBench({ '/ws/.vscode/tasks.json': '{}' });
    const edits = [{ old_text: '{}', new_text: '[]' }];
    await made.call('edit_file', { path: '.vscode/tasks.json', edits });
    assert.match(made.caller.changes[0]?.files[0]?.protection ?? '', /tasks/);
    assert.equal(edited('/ws/.vscode/tasks.json', made), '[]');
  });

  it('does not touch excluded files and files outside, and tells nothing of them', async () => {
    const made = bench();
    const edits = [{ old_text: 'KEY', new_text: 'X' }];
    await assert.rejects(made.call('edit_file', { path: 'src/.env', edits }), /exclude/);
    await assert.rejects(made.call('edit_file', { path: '/etc/passwd', edits }), /outside/);
    assert.deepEqual(made.caller.changes, []);
  });

  it('refuses a client without a caller', async () => {
    const { tools } = bench().tools;
    const tool = tools.find(({ definition }) => definition.name === 'edit_file');
    const input = { path: 'src/main.ts', edits: [{ old_text: 'text', new_text: 't', all: true }] };
    await assert.rejects(async () => await tool?.run(input, new AbortController().signal), /can only read/);
  });
});
