import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { isProcessAlive } from '../../../src/base/node/isProcessAlive';
import { createTimeLimitedRunner } from '../../../src/base/node/timeLimitedRunner';
import { EditorSearch } from '../../../src/tools/common/search/editorSearch';
import { literalFolderOf, includeFilter } from '../../../src/tools/common/search/includeFilter';
import type { FileMatches, TextQuery, TextSearch } from '../../../src/tools/common/search/textSearch';
import { RipgrepSearch } from '../../../src/tools/node/ripgrepSearch';
import { FakeEditor } from '../../fake/fakeEditor';
import { eventually, until } from '../../support/eventually';

const plain: TextQuery = { pattern: 'x', isRegex: false, isCaseSensitive: true, isWholeWord: false };
const never = new AbortController().signal;

async function all(search: TextSearch, query: Partial<TextQuery>, signal = never): Promise<FileMatches[]> {
  return await Array.fromAsync(search.findText({ ...plain, ...query }, signal));
}

/** For what ends by itself, on a machine of any speed. */
const runPatiently = createTimeLimitedRunner(45_000);

describe('globs of a search', () => {
  it('mean names when they have no slash, else paths', () => {
    const matching = (glob: string | undefined): string[] =>
      ['a.ts', 'src/a.ts', 'src/deep/.b.ts', 'src/a.js'].filter(includeFilter(glob));
    assert.deepEqual(matching('*.ts'), ['a.ts', 'src/a.ts', 'src/deep/.b.ts']);
    assert.deepEqual(matching('src/*.ts'), ['src/a.ts']);
    assert.deepEqual(matching('./src/**'), ['src/a.ts', 'src/deep/.b.ts', 'src/a.js']);
    assert.equal(matching(undefined).length, 4);
    assert.deepEqual(matching('**/deep/**/*.{ts,tsx}'), ['src/deep/.b.ts']);
    assert.deepEqual(matching('!*.ts'), ['src/a.js']);
    assert.throws(() => includeFilter('[b-a]'), /is not a glob/);
  });

  it('say in which folder it is enough to look', () => {
    const folders = [
      'src/a/**',
      './src/*.ts',
      '*.ts',
      '**/x',
      'src/{a,b}/x',
      'a/../b/x',
      '/abs/x',
      'x/y/z.ts',
      undefined,
    ].map(literalFolderOf);
    assert.deepEqual(folders, ['src/a', 'src', '', '', 'src', 'a', 'abs', 'x/y', '']);
  });
});

describe('a search without ripgrep', () => {
  const editor = new FakeEditor({
    '/ws/a.ts': 'one x+1\r\nXenon\nx',
    '/ws/b.txt': 'x',
    '/ws/.env': 'x',
    '/ws/c.bin': 'x\0',
  });
  const search = new EditorSearch(editor, runPatiently);
  const places = async (query: Partial<TextQuery>): Promise<string[]> =>
    (await all(search, query)).flatMap(({ path, matches }) =>
      matches.map(({ line, character }) => `${path}:${line}:${character}`),
    );

  it('finds text by line in the files that may be seen', async () => {
    assert.deepEqual(await places({}), ['/ws/a.ts:0:4', '/ws/a.ts:2:0', '/ws/b.txt:0:0']);
    assert.deepEqual(await places({ pattern: 'x+1' }), ['/ws/a.ts:0:4'], 'letter by letter');
    assert.deepEqual(await places({ pattern: '^X', isRegex: true }), ['/ws/a.ts:1:0']);
    assert.deepEqual(await places({ pattern: 'X', isCaseSensitive: false, isWholeWord: true, include: '*.ts' }), [
      '/ws/a.ts:0:4',
      '/ws/a.ts:2:0',
    ]);
  });

  it('ends a pattern that takes too long, and refuses one that is none', async () => {
    editor.setFile('/ws/long.txt', `${'a'.repeat(60)}!`);
    const quick = new EditorSearch(editor, createTimeLimitedRunner(50));
    await assert.rejects(all(quick, { pattern: '(a+)+$', isRegex: true, include: 'long.txt' }), /takes too long/);
    await assert.rejects(all(search, { pattern: '(', isRegex: true }), /not a regular expression/);
  });
});

describe('a search by ripgrep', () => {
  let folder: string;
  let program: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backline-search-'));
    program = join(folder, 'rg');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A program in ripgrep's place. `body` has `args` and `say(message)`. */
  async function searchBy(body: string, unsaved: { path: string; text: string }[] = []): Promise<RipgrepSearch> {
    const head = `#!${process.execPath}\nconst args = process.argv.slice(2);\nconst say = (m) => process.stdout.write(JSON.stringify(m) + '\\n');\n`;
    await writeFile(program, head + body);
    await chmod(program, 0o755);
    return new RipgrepSearch({
      program,
      folders: () => [folder],
      hiddenGlobs: () => ['**/gone'],
      unsavedFiles: () => unsaved,
    });
  }
  const file = (name: string, text: string, start: number): string =>
    `say({ type: 'begin', data: { path: { text: './${name}' } } });
     say({ type: 'match', data: { lines: { text: ${JSON.stringify(text)} }, line_number: 3, submatches: [{ start: ${start} }] } });
     say({ type: 'end', data: {} });`;

  it('counts in UTF-16 units, keeps to one line, and passes over what it does not understand', async () => {
    const bytes = Buffer.from('caf\xe9 x', 'latin1').toString('base64');
    const search = await searchBy(
      `console.log('not JSON'); say({ type: 'odd' }); ${file('a.ts', 'ä𝒳 x\r\n', 7)}
       say({ type: 'begin', data: { path: { text: './b' } } });
       say({ type: 'match', data: { lines: { bytes: '${bytes}' }, line_number: 1, submatches: [] } });
       say({ type: 'end', data: {} }); say({ type: 'summary', data: {} });`,
    );
    assert.deepEqual(await all(search, {}), [
      { path: join(folder, 'a.ts'), matches: [{ line: 2, character: 4, text: 'ä𝒳 x' }] },
      { path: join(folder, 'b'), matches: [{ line: 0, character: 0, text: 'caf\ufffd x' }] },
    ]);
  });

  it('never takes a pattern or glob for an option', async () => {
    const search = await searchBy(`require('fs').writeFileSync('args.json', JSON.stringify(args));`);
    await all(search, { pattern: '--pre=evil', include: '--pre' });
    const args = z.array(z.string()).parse(JSON.parse(await readFile(join(folder, 'args.json'), 'utf8')));
    assert.ok(args.includes('--no-config'));
    const tail = [
      '--regexp',
      '--pre=evil',
      '--type-add',
      'wanted:--pre',
      '--type',
      'wanted',
      '--glob',
      '!**/gone',
      '--',
      './',
    ];
    assert.deepEqual(args.slice(-tail.length), tail);
  });

  it('prefers text that is not saved', async () => {
    const path = join(folder, 'a.ts');
    const search = await searchBy(
      `if (args.at(-1) === '-') { say({ type: 'begin', data: { path: { text: '<stdin>' } } });
         process.stdin.on('data', (text) => say({ type: 'match', data: { lines: { text: String(text) }, line_number: 1, submatches: [{ start: 0 }] } }));
         process.stdin.on('end', () => say({ type: 'end', data: {} }));
       } else { ${file('a.ts', 'x on disk', 0)} ${file('b.ts', 'x', 0)} }`,
      [
        { path, text: 'x not saved' },
        { path: '/elsewhere/c.ts', text: 'x' },
      ],
    );
    const found = await all(search, {});
    assert.deepEqual(
      found.map(({ path: of, matches }) => [of, matches[0]?.text]),
      [
        [path, 'x not saved'],
        [join(folder, 'b.ts'), 'x'],
      ],
    );
  });

  it('explains why it could not search', async () => {
    const refusing = await searchBy(`process.stderr.write('regex parse error: unclosed group'); process.exitCode = 2;`);
    await assert.rejects(all(refusing, {}), /search failed: regex parse error/);
    const nothing = await searchBy('process.exitCode = 1;');
    assert.deepEqual(await all(nothing, {}), []);
    await rm(program);
    await assert.rejects(all(nothing, {}), /could not be started/);
  });

  it('ends its process when nobody wants more, or the call is cancelled', async () => {
    const search = await searchBy(
      `require('fs').writeFileSync('pid', String(process.pid)); ${file('a', 'x', 0)} setInterval(() => undefined, 1000);`,
    );
    const pid = async (): Promise<number> =>
      await eventually('the process', async () => {
        const found = Number(await readFile(join(folder, 'pid'), 'utf8'));
        assert.ok(found > 0);
        return found;
      });
    for await (const found of search.findText(plain, never)) {
      assert.equal(found.path, join(folder, 'a'));
      break;
    }
    const first = await pid();
    await until('the first process has ended', () => !isProcessAlive(first));
    await rm(join(folder, 'pid'));
    const cancelling = new AbortController();
    const cancelled = all(search, {}, cancelling.signal);
    const second = await pid();
    cancelling.abort();
    await cancelled;
    await until('the second process has ended', () => !isProcessAlive(second));
  });
});
