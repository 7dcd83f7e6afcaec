import assert from 'node:assert/strict';
import type { ProposedAction, ProposedEdits } from '../../../src/tools/common/languageEditPort';
import { lineRange } from './support/fakeLanguage';
import { bench, code, editIn, main, other } from './support/parserWorkspace';

describe('the tool format', () => {
  it('applies the edits of the formatter', async () => {
    const made = bench();
    const nothing = 'Nothing was changed: src/main.ts is already formatted, or VS Code has no formatter for it.';
    assert.equal(await made.call('format', { path: 'src/main.ts' }), nothing);
    made.languageEdits.formatted = [editIn(main, 1, 0, 2, '    ')];
    assert.match(
      await made.call('format', { path: 'src/main.ts' }),
      /^Formatted src\/main\.ts: 1 change\. It has version \w+/,
    );
    assert.match(made.editor.diskText(main), /\n {4}parse/);
    made.languageEdits.formatted = [{ path: main, edits: [] }];
    assert.equal(await made.call('format', { path: 'src/main.ts' }), nothing);
    await assert.rejects(made.call('format', { path: 'src/main.ts', from: 99 }), /no line 99/);
    await assert.rejects(made.call('format', { path: 'src/.env' }), /exclude/);
  });
});

describe('a change while the language server works', () => {
  const later = `// later\n${code}`;
  const fix = (...edits: ProposedEdits[]): readonly ProposedAction[] => [
    { title: 'Fix', kind: '', isPreferred: false, edits },
  ];
  const input = { path: 'src/main.ts', line: 3, apply: 'Fix' };

  it('is kept by format, which changes nothing', async () => {
    const made = bench();
    made.languageEdits.meanwhile = () => made.editor.type(main, later);
    made.languageEdits.formatted = [editIn(main, 1, 0, 2, '    ')];
    await assert.rejects(made.call('format', { path: 'src/main.ts' }), /files have changed in the meantime/);
    assert.equal((await made.editor.readText(main)).text, later);
    assert.deepEqual(made.caller.changes, []);
  });

  it('is kept by fixes, in the file that was asked about', async () => {
    const made = bench();
    made.languageEdits.meanwhile = () => made.editor.type(main, later);
    made.languageEdits.actions = () => fix(editIn(main, 1, 0, 0, 'x'));
    await assert.rejects(made.call('fixes', input), /files have changed in the meantime/);
    assert.equal((await made.editor.readText(main)).text, later);
  });

  it('is kept by fixes, in other files too: VS Code is asked again once they are read', async () => {
    const made = bench();
    const others = fix(editIn(main, 0, 0, 0, 'x'), editIn(other, 0, 0, 6, 'y'));
    let asked = 0;
    made.languageEdits.actions = () => others;
    made.languageEdits.meanwhile = () => {
      asked++;
    };
    assert.match(await made.call('fixes', input), /^Applied “Fix”/);
    assert.equal(asked, 2);
    made.editor.type(other, 'import { Parser } from "./main";\n');
    asked = 0;
    made.languageEdits.meanwhile = () => {
      if (++asked === 2) made.editor.type(other, '// later\n');
    };
    await assert.rejects(made.call('fixes', input), /files have changed in the meantime/);
    assert.equal((await made.editor.readText(other)).text, '// later\n');
  });

  it('can be that the fix changes another file the second time, which is refused', async () => {
    const made = bench();
    let asked = 0;
    made.languageEdits.actions = () =>
      ++asked === 1 ? fix(editIn(other, 0, 0, 6, 'y')) : fix(editIn('/ws/src/third.ts', 0, 0, 0, 'y'));
    await made.editor.writeText('/ws/src/third.ts', 'third\n');
    await assert.rejects(made.call('fixes', input), /files have changed in the meantime/);
    assert.equal((await made.editor.readText('/ws/src/third.ts')).text, 'third\n');
  });
});

describe('the tool fixes', () => {
  const actions: readonly ProposedAction[] = [
    { title: 'Extract', kind: 'refactor', isPreferred: false, disabledReason: 'nothing to extract', edits: [] },
    { title: 'Add\n import', kind: 'quickfix', isPreferred: true, edits: [editIn(main, 0, 0, 0, 'import x;\n')] },
    { title: 'Ask the server', kind: '', isPreferred: false, edits: undefined },
  ];

  it('lists what VS Code offers, and asks nobody for that', async () => {
    const made = bench();
    made.languageEdits.actions = () => actions;
    assert.equal(
      await made.call('fixes', { path: 'src/main.ts', line: 3 }),
      '3 actions at src/main.ts:3\n  Add import  [quickfix, preferred]\n  Extract  [refactor, not possible now]\n  Ask the server  [only the user can apply it]',
    );
    assert.deepEqual(made.caller.changes, []);
    made.languageEdits.actions = () => [];
    assert.equal(
      await made.call('fixes', { path: 'src/main.ts', line: 3 }),
      'VS Code offers no fixes at src/main.ts:3.',
    );
    await assert.rejects(made.call('fixes', { path: 'src/main.ts', line: 99 }), /no line 99/);
  });

  it('does not name excluded files from which something could be imported', async () => {
    const made = bench();
    made.editor.exclude.push('secrets.ts');
    const importOf = (name: string, title = `Add import from "${name}"`): ProposedAction => ({
      title,
      kind: 'quickfix',
      isPreferred: false,
      edits: [editIn(main, 0, 0, 0, `import { x } from "${name}";\n`)],
    });
    made.languageEdits.actions = () => [
      importOf('./secrets'),
      importOf('../src/secrets'),
      importOf('@/src/secrets'),
      importOf('src/secrets.ts'),
      importOf('./secrets', 'Add all missing imports'),
      importOf('./other'),
      importOf('node:path'),
    ];
    const told = await made.call('fixes', { path: 'src/main.ts', line: 3 });
    assert.deepEqual(
      told.split('\n').map((row) => row.trim()),
      [
        '2 actions at src/main.ts:3',
        'Add import from "./other"  [quickfix]',
        'Add import from "node:path"  [quickfix]',
      ],
    );
    await assert.rejects(
      made.call('fixes', { path: 'src/main.ts', line: 3, apply: 'Add import from "./secrets"' }),
      /does not offer/,
    );
    await made.editor.writeText(main, 'import { y } from "./secrets";\nx();\n');
    made.languageEdits.actions = () => [importOf('./secrets', 'Organize'), importOf('./secrets', 'Update "./secrets"')];
    assert.match(await made.call('fixes', { path: 'src/main.ts', line: 2 }), /^1 action at[^\n]*\n {2}Organize/);
  });

  it('applies one by its title, once it is allowed', async () => {
    const made = bench();
    made.languageEdits.actions = () => actions;
    const apply = (title: string): Promise<string> =>
      made.call('fixes', { path: 'src/main.ts', line: 3, apply: title });
    assert.equal(await apply('Add import'), 'Applied “Add import”\n  src/main.ts (1)');
    assert.equal(made.editor.diskText(main), `import x;\n${code}`);
    await assert.rejects(apply('Extract'), /nothing to extract/);
    await assert.rejects(apply('Ask the server'), /runs a command of an extension/);
    await assert.rejects(apply('Fly'), /does not offer “Fly”/);
  });

  it('takes places beyond a line or the file for the nearest, as VS Code does', async () => {
    const made = bench();
    const range = { start: { line: 0, character: 99 }, end: { line: 999, character: 0 } };
    const edits = [{ path: other, edits: [{ range, newText: ' // end' }] }];
    made.languageEdits.actions = () => [{ title: 'Cut', kind: '', isPreferred: false, edits }];
    await made.call('fixes', { path: 'src/other.ts', line: 1, apply: 'Cut' });
    assert.equal(made.editor.diskText(other), 'import { Parser } from "./main"; // end');
  });

  it('looks at the problems of the line first', async () => {
    const made = bench();
    const asked: number[] = [];
    made.languageEdits.actions = ({ start }) => {
      asked.push(start.character);
      return [];
    };
    const problem = { severity: 'error', message: 'wrong', lineText: '', startOffset: 0, endOffset: 0 } as const;
    made.editor.setDiagnostics(main, [
      { ...problem, range: lineRange(2, 11, 15) },
      { ...problem, range: lineRange(5, 1, 2) },
    ]);
    await made.call('fixes', { path: 'src/main.ts', line: 3 });
    assert.deepEqual(asked, [11, 4]);
  });
});
