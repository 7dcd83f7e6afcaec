import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually';
import { LanguageServerTimeoutError } from '../../../src/tools/common/languagePort';
import { ToolError } from '../../../src/tools/common/toolError';
import type { ProposedAction, ProposedEdits } from '../../../src/tools/common/languageEditPort';
import { lineRange, placeIn } from './support/fakeLanguage';
import { bench, code, main, other, secret } from './support/parserWorkspace';

const edit = (path: string | undefined, line: number, from: number, to: number, newText: string): ProposedEdits => ({
  path,
  edits: [{ range: lineRange(line, from, to), newText }],
});
const renames = [edit(main, 0, 13, 19, 'Reader'), edit(other, 0, 9, 15, 'Reader')];

/** Lets the time of each pause pass as soon as the tool waits. */
async function passPauses({ clock }: ReturnType<typeof bench>, ...pausesMs: readonly number[]): Promise<void> {
  for (const pauseMs of pausesMs) {
    await eventually('the pause', () => assert.equal(clock.pending, 1));
    clock.advance(pauseMs);
  }
}

describe('the tool rename', () => {
  const input = { path: 'src/main.ts', symbol: 'Parser', new_name: 'Reader' };

  it('changes all files in one step that is asked for once and recorded as the caller’s', async () => {
    const made = bench();
    made.languageEdits.renames = (at, newName) => {
      assert.deepEqual([at.path, newName], [main, 'Reader']);
      return Promise.resolve(renames);
    };
    assert.equal(
      await made.call('rename', input),
      'Renamed `Parser` (src/main.ts:1) to `Reader`: 2 places in 2 files\n  src/main.ts (1)\n  src/other.ts (1)',
    );
    assert.match(made.editor.diskText(main), /^export class Reader \{/);
    assert.equal(made.editor.diskText(other), 'import { Reader } from "./main";\n');
    assert.deepEqual(made.caller.written, [main, other]);
    assert.deepEqual(
      made.caller.changes.map(({ files, purpose }) => [purpose, files.map(({ path }) => path)]),
      [['rename `Parser` (src/main.ts:1) to `Reader`', [main, other]]],
    );
  });

  it('changes nothing if a file is excluded or outside, and does not name it', async () => {
    const made = bench();
    for (const path of [secret, '/elsewhere/lib.ts', undefined]) {
      made.languageEdits.renames = () => Promise.resolve([...renames, edit(path, 0, 0, 3, 'KEY2')]);
      await assert.rejects(
        made.call('rename', input),
        (error: Error) =>
          error.message.includes('would also change files that tools may not change') &&
          !/\.env|lib/.test(error.message),
      );
    }
    assert.equal(made.editor.diskText(main), code);
    assert.deepEqual(made.caller.changes, []);
  });

  it('changes nothing after a no, or if a file has changed meanwhile', async () => {
    const made = bench();
    made.languageEdits.renames = () => Promise.resolve(renames);
    made.caller.answer = () => Promise.resolve({ isGranted: false, reason: 'No.' });
    await assert.rejects(made.call('rename', input), /Nothing was changed\. No\./);
    made.caller.answer = () => {
      made.editor.type(other, '// later\nimport { Parser } from "./main";\n');
      return Promise.resolve({ isGranted: true });
    };
    await assert.rejects(made.call('rename', input), /has changed/);
    assert.equal(made.editor.diskText(main), code);
    assert.deepEqual(made.caller.written, []);
  });

  it('changes nothing if the file has changed since the language server answered', async () => {
    const made = bench();
    made.languageEdits.renames = () => {
      made.editor.type(other, '// later\nimport { Parser } from "./main";\n');
      return Promise.resolve(renames);
    };
    await assert.rejects(made.call('rename', input), /files have changed in the meantime/);
    assert.equal(made.editor.diskText(main), code);
    assert.deepEqual(made.caller.changes, []);
  });

  it('changes nothing if the file of the symbol has changed since it was read, whatever is replaced', async () => {
    const made = bench();
    made.languageEdits.meanwhile = () => made.editor.type(main, `${code}// later\n`);
    made.languageEdits.renames = () => Promise.resolve(renames);
    await assert.rejects(made.call('rename', input), /files have changed in the meantime/);
    assert.deepEqual(made.caller.changes, []);
  });

  it('asks a language server again that is still reading the project', async () => {
    const made = bench();
    let count = 0;
    made.language.places = [placeIn(main, 0, 13), placeIn(other, 0, 9)];
    made.languageEdits.renames = () => Promise.resolve(++count < 3 ? renames.slice(0, 1) : renames);
    const renamed = made.call('rename', input);
    await passPauses(made, 500, 1_000);
    assert.match(await renamed, /2 places in 2 files\n {2}src\/main\.ts \(1\)\n {2}src\/other\.ts \(1\)$/);
    assert.equal(count, 3);
  });

  it('names files that use the symbol by another name, and no excluded ones', async () => {
    const made = bench();
    made.language.places = [placeIn(main, 0, 13), placeIn(other, 0, 9), placeIn(secret, 0)];
    made.languageEdits.renames = () => Promise.resolve(renames.slice(0, 1));
    const renamed = made.call('rename', input);
    await passPauses(made, 500, 1_000);
    assert.match(
      await renamed,
      /1 place in 1 file\n {2}src\/main\.ts \(1\)\n1 file has references but no changes\. Check for other names of the symbol there: src\/other\.ts\.$/,
    );
  });

  it('stops waiting when the call is cancelled', async () => {
    const made = bench();
    made.language.places = [placeIn(other, 0, 9)];
    made.languageEdits.renames = () => Promise.resolve(renames.slice(0, 1));
    const cancelled = new AbortController();
    const renamed = made.call('rename', input, cancelled.signal);
    await eventually('the pause', () => assert.equal(made.clock.pending, 1));
    cancelled.abort(new Error('not wanted any more'));
    await assert.rejects(renamed, /not wanted any more/);
    assert.equal(made.editor.diskText(main), code);
  });

  describe('with a language server that does not say whether it has read the project', () => {
    const unread = (): ReturnType<typeof bench> => {
      const made = bench();
      made.language.callItemsAt = () => Promise.reject(new LanguageServerTimeoutError('no answer'));
      made.languageEdits.renames = () => Promise.resolve(renames);
      return made;
    };
    const findsIn = (...paths: readonly string[]): ReturnType<typeof bench>['found'] =>
      async function* (query) {
        assert.deepEqual(query, { pattern: 'Parser', isRegex: false, isCaseSensitive: true, isWholeWord: true });
        await Promise.resolve();
        for (const path of paths) yield { path, matches: [{ line: 0, character: 0, text: 'Parser' }] };
      };

    it('renames at once if every file with the name is changed, and says what is uncertain', async () => {
      const made = unread();
      made.found = findsIn(main, other, secret);
      assert.match(
        await made.call('rename', input),
        /2 places in 2 files[^]*\nThe language server did not say whether it has read the whole project, but every file with the word `Parser` is changed\.$/,
      );
      assert.match(made.editor.diskText(main), /^export class Reader \{/);
    });

    it('waits for it if a file with the name would stay unchanged', async () => {
      const made = unread();
      made.found = findsIn(main, other);
      let checks = 0;
      made.language.callItemsAt = () =>
        ++checks < 3 ? Promise.reject(new LanguageServerTimeoutError('no answer')) : Promise.resolve([]);
      made.languageEdits.renames = () => Promise.resolve(checks < 3 ? renames.slice(0, 1) : renames);
      assert.match(
        await made.call('rename', input),
        /2 places in 2 files\n {2}src\/main\.ts \(1\)\n {2}src\/other\.ts \(1\)$/,
      );
      assert.equal(checks, 3);
    });

    it('renames in the end, and names the files that stay unchanged', async () => {
      const made = unread();
      made.found = findsIn(main, other, secret);
      made.languageEdits.renames = () => Promise.resolve(renames.slice(0, 1));
      assert.match(
        await made.call('rename', input),
        /1 place in 1 file[^]*\nThe language server did not say[^\n]*\. Check 1 file with the word `Parser` where nothing is changed: src\/other\.ts\.$/,
      );
      assert.match(made.editor.diskText(main), /^export class Reader \{/);
    });

    it('renames in the end if the files cannot be searched', async () => {
      const made = unread();
      let checks = 0;
      made.language.callItemsAt = () => {
        checks++;
        return Promise.reject(new LanguageServerTimeoutError('no answer'));
      };
      made.found = () => {
        throw new ToolError('no ripgrep');
      };
      assert.match(
        await made.call('rename', input),
        /other files may have uses that are not changed\. Search for the old name\.$/,
      );
      assert.equal(checks, 3);
    });
  });

  it('says what cannot be renamed', async () => {
    const made = bench();
    await assert.rejects(made.call('rename', input), /VS Code found nothing to rename at `Parser`/);
    made.languageEdits.renames = () => Promise.reject(new ToolError('VS Code does not rename this: it is a keyword'));
    await assert.rejects(made.call('rename', input), /it is a keyword/);
    await assert.rejects(made.call('rename', { ...input, new_name: 'two words' }), /new_name/);
    await assert.rejects(made.call('rename', { ...input, symbol: 'absent' }), /There is no `absent`/);
    await assert.rejects(
      made.call('rename', { path: 'src/other.ts', symbol: 'main', line: 1, new_name: 'x' }),
      /path of an import/,
    );
  });
});

describe('the tool format', () => {
  it('applies the edits of the formatter', async () => {
    const made = bench();
    const nothing = 'Nothing was changed: src/main.ts is already formatted, or VS Code has no formatter for it.';
    assert.equal(await made.call('format', { path: 'src/main.ts' }), nothing);
    made.languageEdits.formatted = [edit(main, 1, 0, 2, '    ')];
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
    made.languageEdits.formatted = [edit(main, 1, 0, 2, '    ')];
    await assert.rejects(made.call('format', { path: 'src/main.ts' }), /files have changed in the meantime/);
    assert.equal((await made.editor.readText(main)).text, later);
    assert.deepEqual(made.caller.changes, []);
  });

  it('is kept by fixes, in the file that was asked about', async () => {
    const made = bench();
    made.languageEdits.meanwhile = () => made.editor.type(main, later);
    made.languageEdits.actions = () => fix(edit(main, 1, 0, 0, 'x'));
    await assert.rejects(made.call('fixes', input), /files have changed in the meantime/);
    assert.equal((await made.editor.readText(main)).text, later);
  });

  it('is kept by fixes, in other files too: VS Code is asked again once they are read', async () => {
    const made = bench();
    const others = fix(edit(main, 0, 0, 0, 'x'), edit(other, 0, 0, 6, 'y'));
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
      ++asked === 1 ? fix(edit(other, 0, 0, 6, 'y')) : fix(edit('/ws/src/third.ts', 0, 0, 0, 'y'));
    await made.editor.writeText('/ws/src/third.ts', 'third\n');
    await assert.rejects(made.call('fixes', input), /files have changed in the meantime/);
    assert.equal((await made.editor.readText('/ws/src/third.ts')).text, 'third\n');
  });
});

describe('the tool fixes', () => {
  const actions: readonly ProposedAction[] = [
    { title: 'Extract', kind: 'refactor', isPreferred: false, disabledReason: 'nothing to extract', edits: [] },
    { title: 'Add\n import', kind: 'quickfix', isPreferred: true, edits: [edit(main, 0, 0, 0, 'import x;\n')] },
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
      edits: [edit(main, 0, 0, 0, `import { x } from "${name}";\n`)],
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
