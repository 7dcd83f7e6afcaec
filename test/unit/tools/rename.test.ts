import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually';
import { LanguageServerTimeoutError } from '../../../src/tools/common/languagePort';
import { ToolError } from '../../../src/tools/common/toolError';
import { placeIn } from './support/fakeLanguage';
import { bench, code, editIn, main, other, secret } from './support/parserWorkspace';

const renames = [editIn(main, 0, 13, 19, 'Reader'), editIn(other, 0, 9, 15, 'Reader')];

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
      made.languageEdits.renames = () => Promise.resolve([...renames, editIn(path, 0, 0, 3, 'KEY2')]);
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

    it('refuses if files with the name would stay unchanged, and names them', async () => {
      const made = unread();
      made.found = findsIn(main, other, secret);
      let checks = 0;
      made.language.callItemsAt = () => {
        checks++;
        return Promise.reject(new LanguageServerTimeoutError('no answer'));
      };
      made.languageEdits.renames = () => Promise.resolve([...renames.slice(0, 1), { path: other, edits: [] }]);
      await assert.rejects(
        made.call('rename', input),
        /^ToolError: Nothing was renamed\. The language server did not say[^\n]*, and would change nothing in 1 file with the word `Parser`:\n {2}src\/other\.ts\nIt may still be loading: try again in a minute\. [^\n]* unchanged_files\.$/,
      );
      assert.equal(checks, 3);
      assert.deepEqual(made.caller.changes, []);
      assert.equal(made.editor.diskText(main), code);
    });

    it('renames if the caller says that these files do not use the symbol, and warns the user', async () => {
      const made = unread();
      made.found = findsIn(main, other);
      made.languageEdits.renames = () => Promise.resolve(renames.slice(0, 1));
      await assert.rejects(made.call('rename', { ...input, unchanged_files: ['src/main.ts'] }), /Nothing was renamed/);
      await assert.rejects(made.call('rename', { ...input, unchanged_files: ['src/.env'] }), /exclude/);
      assert.match(
        await made.call('rename', { ...input, unchanged_files: ['src/other.ts'] }),
        /1 place in 1 file[^]*\nThe language server did not say[^\n]*\. Nothing is changed in 1 other file with the word `Parser`: src\/other\.ts\.$/,
      );
      assert.match(made.editor.diskText(main), /^export class Reader \{/);
      assert.deepEqual(
        made.caller.changes.map(({ warning }) => warning),
        [
          'VS Code may still be loading the project: nothing is changed in 1 other file with the word `Parser`: src/other.ts.',
        ],
      );
    });

    it('offers no way around the refusal if there are too many such files to read', async () => {
      const made = unread();
      const paths = Array.from({ length: 51 }, (_, index) => `/ws/src/use${index}.ts`);
      made.found = findsIn(main, other, ...paths);
      await assert.rejects(
        made.call('rename', input),
        /in 51 files with the word[^]*\n {2}… 1 more\nIt may still be loading: try again in a minute\.$/,
      );
      assert.deepEqual(made.caller.changes, []);
    });

    it('refuses if a search cannot show that all files with the name are changed', async () => {
      const made = unread();
      const endless: ReturnType<typeof bench>['found'] = async function* () {
        await Promise.resolve();
        const matches = Array.from({ length: 2_000 }, (_, line) => ({ line, character: 0, text: 'Parser' }));
        yield { path: main, matches };
      };
      const broken = (): never => {
        throw new ToolError('no ripgrep');
      };
      // The last one does not even find the file of the symbol.
      for (const found of [broken, endless, findsIn(other)]) {
        made.found = found;
        await assert.rejects(
          made.call('rename', input),
          /^ToolError: Nothing was renamed\.[^\n]*, and a search could not show that no other file uses the symbol\. [^\n]*try again/,
        );
      }
      assert.deepEqual(made.caller.changes, []);
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
