import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/common/log';
import { Emitter } from '../../../../src/base/common/event';
import type { MentionSource } from '../../../../src/chat/common/mentions/mentionSource';
import type { MentionRow } from '../../../../src/chat/common/chatView';
import { OpenEditorsMention } from '../../../../src/chat/common/mentions/openEditorsMention';
import { FileIndex } from '../../../../src/chat/common/mentions/fileIndex';
import { FileMentions } from '../../../../src/chat/common/mentions/fileMentions';
import { FolderMentions } from '../../../../src/chat/common/mentions/folderMentions';
import { toPromptBlocks } from '../../../../src/acp/node/session/promptBlocks';
import { GitMentions } from '../../../../src/chat/common/mentions/gitMentions';
import { Mentions } from '../../../../src/chat/common/mentions/mentions';
import { ProblemMentions } from '../../../../src/chat/common/mentions/problemMentions';
import { SelectionMentions } from '../../../../src/chat/common/mentions/selectionMentions';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';

const throwIt = (error: unknown): never => {
  throw error;
};
const { signal } = new AbortController();

describe('FileMentions and FolderMentions', () => {
  let paths: string[];
  let listed: number;
  let clock: FakeClock;
  let editor: FakeEditor;
  let recent: string[];
  let index: FileIndex;
  let files: FileMentions;
  const created = new Emitter<string>(throwIt);
  const deleted = new Emitter<string>(throwIt);
  const reset = new Emitter<void>(throwIt);

  beforeEach(() => {
    paths = ['/ws/src/chat/chatPage.ts', '/ws/src/a.ts', '/ws/README.md', '/ws/.env', '/ws/src/parent/change.ts'];
    listed = 0;
    recent = [];
    clock = new FakeClock();
    editor = new FakeEditor(Object.fromEntries(paths.map((path) => [path, 'x'.repeat(41)])));
    index = new FileIndex({
      listFiles: () => {
        listed++;
        return Promise.resolve([...paths]);
      },
      onDidCreate: created.event,
      onDidDelete: deleted.event,
      onDidReset: reset.event,
      relative: (path) => path.replace('/ws/', ''),
      clock,
      onError: throwIt,
    });
    index.start();
    files = new FileMentions({ index, editor, recentFiles: () => recent });
  });
  afterEach(() => index.dispose());

  const titles = (rows: readonly MentionRow[]): string[] => rows.map(({ title }) => title);

  it('find files by letters of their names, with their folder and an estimate of tokens', async () => {
    const [best] = await files.search('cpage', signal);
    assert.deepEqual(best, {
      kind: 'file',
      id: 'file:/ws/src/chat/chatPage.ts',
      title: 'chatPage.ts',
      path: '/ws/src/chat/chatPage.ts',
      detail: 'src/chat',
      tokens: 11,
    });
  });

  it('put recently opened files first', async () => {
    recent = ['/ws/README.md', '/ws/src/a.ts'];
    assert.deepEqual(titles(await files.search('', signal)).slice(0, 2), ['README.md', 'a.ts']);
  });

  it('never offer files that agents may not read', async () => {
    assert.deepEqual(titles(await files.search('env', signal)), []);
    await assert.rejects(files.resolve({ kind: 'file', id: 'x', title: 'x', path: '/ws/.env' }), { code: 'excluded' });
  });

  it('list the files once, and follow created and deleted files', async () => {
    await files.search('', signal);
    paths.push('/ws/src/new.ts');
    await editor.writeText('/ws/src/new.ts', 'n');
    created.fire('/ws/src/new.ts');
    deleted.fire('/ws/src/a.ts');
    assert.deepEqual(titles(await files.search('new', signal)), ['new.ts']);
    assert.ok(!titles(await files.search('', signal)).includes('a.ts'));
    assert.equal(listed, 1);
    clock.advance(3_000);
    assert.equal(listed, 2);
    await new Promise((resolve) => setImmediate(resolve));
    reset.fire();
    await files.search('', signal);
    assert.equal(listed, 3);
  });

  it('describe a folder by the files in it that agents may read', async () => {
    const folders = new FolderMentions({ index, editor });
    const [row] = await folders.search('chat', signal);
    assert.deepEqual({ title: row?.title, path: row?.path }, { title: 'chat/', path: '/ws/src/chat' });
    assert.ok(row);
    const [sent] = await folders.resolve(row);
    assert.deepEqual(sent, {
      type: 'text',
      uri: 'file:///ws/src/chat/',
      title: 'chat',
      text: 'Files in /ws/src/chat:\nchatPage.ts',
    });
  });
});

describe('Mentions of deleted files', () => {
  it('send nothing for a deleted file, selection or folder, and name the missing one', async () => {
    const editor = new FakeEditor({ '/ws/src/a.ts': 'one' });
    const index = { files: () => Promise.resolve([]) };
    const sources: readonly [MentionSource, MentionRow][] = [
      [
        new FileMentions({ index, editor, recentFiles: () => [] }),
        { kind: 'file', id: 'f', title: 'a', path: '/ws/src/a.ts' },
      ],
      [new SelectionMentions(editor), { kind: 'selection', id: 's#1-2', title: 'a:1-2', path: '/ws/src/a.ts' }],
      [new FolderMentions({ index, editor }), { kind: 'folder', id: 'd', title: 'src/', path: '/ws/src' }],
    ];
    for (const [source, row] of sources) assert.equal((await source.resolve(row, signal, 'c')).length, 1);
    editor.deleteFile('/ws/src/a.ts');
    for (const [source, row] of sources) await assert.rejects(source.resolve(row, signal, 'c'), { code: 'notFound' });
  });
});

describe('Mentions of the state of the window', () => {
  const editor = new FakeEditor({ '/ws/a.ts': 'one\ntwo\nthree\n', '/ws/.env': 'K=1' });

  it('name the selected lines, and send their current text', async () => {
    const text = 'two\n';
    const selected = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 }, text };
    editor.activeSelection = { path: '/ws/a.ts', selections: [selected] };
    const source = new SelectionMentions(editor);
    const [row] = await source.search('sel');
    assert.equal(row?.title, 'a.ts:2');
    assert.deepEqual(await source.resolve(row), [{ type: 'file', path: '/ws/a.ts', lines: { first: 2, last: 2 } }]);
    editor.activeSelection = { path: '/ws/a.ts', selections: [{ ...selected, text: '' }] };
    assert.deepEqual(await source.search(''), [], 'a cursor is no selection');
  });

  it('send problems in the format of compilers', async () => {
    const diagnostic = {
      range: { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } },
      severity: 'error',
      message: 'no such name',
      source: 'ts',
      code: '2304',
      lineText: 'two',
      startOffset: 6,
      endOffset: 7,
    } as const;
    const source = new ProblemMentions({
      visibleFiles: ['/ws/a.ts'],
      diagnostics: (path) =>
        Promise.resolve(path === '/ws/b.ts' ? [] : [{ path: '/ws/a.ts', diagnostics: [diagnostic] }]),
    });
    const [row] = await source.search('prob', signal);
    assert.equal(row?.title, 'Problems (1)');
    const [sent] = await source.resolve(row, signal);
    assert.equal(sent?.type === 'text' && sent.text, '/ws/a.ts:2:3 error: no such name (ts 2304)');
    assert.deepEqual(await source.resolve({ ...row, path: '/ws/b.ts' }, signal), [], 'nothing when they are gone');
  });

  it('send problems and changes under their own names, not as the file or folder', async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const diagnostic = {
      range,
      severity: 'error',
      message: 'no',
      lineText: 'x',
      startOffset: 0,
      endOffset: 1,
    } as const;
    const problems = new ProblemMentions({
      visibleFiles: ['/ws/a.ts'],
      diagnostics: () => Promise.resolve([{ path: '/ws/a.ts', diagnostics: [diagnostic] }]),
    });
    const changes = { root: '/ws', branch: 'main', files: [{ path: '/ws/a.ts', state: 'untracked' }] } as const;
    const git = { changes: () => Promise.resolve(changes), diff: () => Promise.resolve('') };
    const row = { kind: 'problems', id: 'problems', title: '' } as const;
    const sent = [
      ...(await problems.resolve(row, signal)),
      ...(await problems.resolve({ ...row, path: '/ws/a.ts' }, signal)),
      ...(await new GitMentions(git, editor).resolve(undefined, signal)),
    ];
    const abilities = { images: false, embeddedContext: true };
    const { blocks } = await toPromptBlocks({ text: 'go', attachments: sent }, abilities, editor);
    const uris = blocks.flatMap((block) => (block.type === 'resource' ? [block.resource.uri] : []));
    assert.deepEqual(uris, [
      'backline:Problems',
      'backline:Problems%20in%20%2Fws%2Fa.ts',
      'backline:Git%20changes%20in%20%2Fws',
    ]);
  });

  it('send the files open in tabs that agents may read', async () => {
    const source = new OpenEditorsMention({ editor, openFiles: () => ['/ws/a.ts', '/ws/.env'] });
    const [row] = await source.search('');
    assert.equal(row?.title, 'Open editors (1)');
    assert.deepEqual(await source.resolve(), [{ type: 'file', path: '/ws/a.ts' }]);
  });

  it('send Git changes without files that agents may not read', async () => {
    const asked: string[] = [];
    const git = {
      changes: () =>
        Promise.resolve({
          root: '/ws',
          branch: 'main',
          files: [
            { path: '/ws/a.ts', state: 'changed' },
            { path: '/ws/.env', state: 'changed' },
          ],
        } as const),
      diff: (path: string) => {
        asked.push(path);
        return Promise.resolve(`diff of ${path}`);
      },
    };
    const source = new GitMentions(git, editor);
    assert.equal((await source.search('git'))[0]?.title, 'Git changes (1)');
    const [sent] = await source.resolve(undefined, signal);
    assert.ok(sent?.type === 'text');
    assert.equal(sent.title, 'Git changes in /ws');
    assert.equal(sent.text, 'Not committed on main:\nchanged: /ws/a.ts\n\ndiff of /ws/a.ts');
    assert.deepEqual(asked, ['/ws/a.ts']);
  });
});

describe('Mentions', () => {
  const row = (kind: MentionRow['kind'], id: string): MentionRow => ({ kind, id, title: id });
  const source = (kind: MentionRow['kind'], search: MentionSource['search']): MentionSource => ({
    kind,
    search,
    resolve: ({ id }) => Promise.resolve([{ type: 'text', uri: id, title: id, text: kind }]),
  });

  it('returns the rows of other sources if one source fails or hangs', async () => {
    const clock = new FakeClock();
    const mentions = new Mentions(
      [
        source('git', () => Promise.reject(new Error('no git'))),
        source('problems', () => new Promise(() => undefined)),
        source('file', () => Promise.resolve([row('file', 'a')])),
      ],
      clock,
      nullLogger,
    );
    const found = mentions.search('', undefined, signal);
    clock.advance(2_000);
    assert.deepEqual(await found, [row('file', 'a')]);
    assert.deepEqual(await mentions.search('', 'file', signal), [row('file', 'a')]);
  });

  it('puts rows that match only scattered letters after exact matches', async () => {
    const mentions = new Mentions(
      [
        source('selection', () => Promise.resolve([row('selection', 'Selection')])),
        source('file', () =>
          Promise.resolve([
            { ...row('file', 'a'), title: 'cjs.ts' },
            { ...row('file', 'b'), title: 'cases.ts', detail: 'js' },
            { ...row('file', 'c'), title: 'x.ts', detail: 'src/CJS' },
          ]),
        ),
        source('context', () => Promise.resolve([row('context', 'CJS modules')])),
      ],
      new FakeClock(),
      nullLogger,
    );
    const rows = await mentions.search('cjs', undefined, signal);
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['Selection', 'a', 'c', 'CJS modules', 'b'],
    );
  });

  it('reports that more results are coming, and waits for them for a limited time', async () => {
    const clock = new FakeClock();
    const found = [row('context', 'c')];
    const slow = { ...source('context', () => Promise.resolve(found)), isSearching: (query: string) => query === 'q' };
    const more = Promise.withResolvers<boolean>();
    const mentions = new Mentions([{ ...slow, waitForMore: () => more.promise }], clock, nullLogger);
    assert.deepEqual([mentions.isSearching('q', undefined), mentions.isSearching('q', 'file')], [true, false]);
    assert.equal(mentions.isSearching('other', undefined), false);
    assert.deepEqual(await mentions.waitForMoreRows('q', 'file', signal), [], 'nobody is asked');
    const next = mentions.waitForMoreRows('q', undefined, signal);
    more.resolve(true);
    assert.deepEqual(await next, found);
    const hanging = new Mentions([{ ...slow, waitForMore: () => new Promise(() => undefined) }], clock, nullLogger);
    const late = hanging.waitForMoreRows('q', undefined, signal);
    clock.advance(15_000);
    assert.deepEqual(await late, []);
  });

  it('does not search again while another page searches', async () => {
    const search = (): Promise<never> => Promise.reject(new Error('That ends the search of the other page.'));
    const taken = { ...source('context', search), isSearching: () => false, next: () => Promise.resolve(false) };
    const log = { ...nullLogger, error: () => assert.fail('it was searched again') };
    const mentions = new Mentions([taken], new FakeClock(), log);
    assert.deepEqual(await mentions.waitForMoreRows('q', undefined, signal), []);
  });

  it('resolves an attachment by its source, or to nothing', async () => {
    const mentions = new Mentions([source('file', () => Promise.resolve([]))], new FakeClock(), nullLogger);
    const sent = await mentions.resolve(row('file', 'f'), signal, 'conversation');
    assert.deepEqual(sent, [{ type: 'text', uri: 'f', title: 'f', text: 'file' }]);
    assert.deepEqual(await mentions.resolve(row('git', 'g'), signal, 'conversation'), []);
  });
});
