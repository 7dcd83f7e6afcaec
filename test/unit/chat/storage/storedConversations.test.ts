import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles, type FilePort } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { findConversationsFolder, moveOldConversations } from '../../../../src/chat/node/conversationsFolder';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { OlderWorkspaces } from '../../../../src/chat/node/olderWorkspaces';
import { WindowPlaces } from '../../../../src/chat/node/windowPlaces';
import { until } from '../../../support/eventually';
import { KilledFiles } from '../support/killedFiles';
import { gitIn } from '../../changes/support/workspace';

const headOf = (id: string): ConversationHead => ({
  version: logVersion,
  id,
  title: `Title of ${id}`,
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
  draft: { text: `draft of ${id}`, attachments: [] },
});
const begin = (id: string) => ({ type: 'begin' as const, at: 1, version: logVersion, id, backendId: 'one' });
const promptOf = (id: string, text = `prompt of ${id}`) => ({
  type: 'prompt' as const,
  at: 2,
  id: `p-${text}`,
  text,
  attachments: [],
});

describe('The conversations of the user', () => {
  let home: string;
  const stores: ConversationStore[] = [];
  beforeEach(async () => {
    home = await realpath(await mkdtemp(path.join(tmpdir(), 'conversations-')));
  });
  afterEach(async () => {
    await stopAll();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  async function stopAll(): Promise<void> {
    for (const store of stores.splice(0)) {
      await store.stop();
      store.dispose();
    }
  }
  const root = () => path.join(home, 'conversations');
  const at = (name: string): string => path.join(home, name);
  const folder = async (name: string): Promise<string> => {
    await mkdir(at(name), { recursive: true });
    return at(name);
  };

  /** A window of this version. */
  async function windowOn(
    folders: readonly string[],
    { file, files = new NodeFiles() }: { file?: string; files?: FilePort } = {},
  ): Promise<ConversationStore> {
    const deps = { files, clock: systemClock, log: nullLogger };
    const moves = path.join(root(), 'moves');
    const store = new ConversationStore({
      ...deps,
      folder: root(),
      places: new WindowPlaces({ ...deps, folder: moves, workspace: () => ({ file, folders }) }),
      older: new OlderWorkspaces({ ...deps, root: root(), workspaceStorage: at('workspaceStorage') }),
    });
    stores.push(store);
    await store.start();
    return store;
  }
  /** A window of the version before, which had a folder for each workspace. */
  async function oldWindowOn(folders: readonly string[], file?: string): Promise<ConversationStore> {
    const where = await findConversationsFolder(root(), { file, folders });
    const store = new ConversationStore({ folder: where, files: new NodeFiles(), clock: systemClock, log: nullLogger });
    stores.push(store);
    await store.start();
    return store;
  }
  /** Writes a conversation with a prompt, a draft and the text of a file. */
  async function write(store: ConversationStore, id: string): Promise<void> {
    const files = store.create(headOf(id));
    files.append(begin(id));
    files.append(promptOf(id));
    await files.flush();
    await files.putText(`text of ${id}`);
    await files.close();
  }
  async function openAndRead(store: ConversationStore, id: string) {
    const file = await store.open(id);
    const records: LogRecord[] = [];
    const damage = await file.readStored((some) => void records.push(...some));
    return { damage, file, records };
  }
  async function checkWhole(store: ConversationStore, ids: readonly string[]): Promise<void> {
    assert.deepEqual(store.heads.map((head) => head.id).toSorted(), ids.toSorted());
    for (const id of ids) {
      const { damage, file, records } = await openAndRead(store, id);
      const { head } = file;
      assert.equal(damage, undefined);
      assert.equal(head.title, `Title of ${id}`);
      assert.deepEqual(head.draft, { text: `draft of ${id}`, attachments: [] });
      assert.deepEqual(records.slice(0, 2), [begin(id), promptOf(id)]);
      assert.equal(await file.getText(file.idOf(`text of ${id}`)), `text of ${id}`);
      await file.close();
    }
  }
  const placed = (store: ConversationStore): Record<string, unknown> =>
    Object.fromEntries(
      store.heads.map((head) => [head.id, store.elsewhere(head)?.folder ?? store.elsewhere(head) ?? 'here']),
    );

  it('are all found in every window: those with a folder in common here, the others by folder', async () => {
    const [a, b] = [await folder('a'), await folder('b')];
    await folder('a/below');
    await symlink(a, at('link'));
    await write(await windowOn([a]), 'in-folder-a');
    await write(await windowOn([a, b]), 'in-folders-a-b');
    await write(await windowOn([b]), 'in-folder-b');
    await write(await windowOn([]), 'in-no-folder');
    await write(await windowOn([b], { file: at('x.code-workspace') }), 'in-workspace');
    const all = ['in-folder-a', 'in-folders-a-b', 'in-folder-b', 'in-no-folder', 'in-workspace'];
    await checkWhole(await windowOn([a]), all);
    const hereOn = async (...window: Parameters<typeof windowOn>): Promise<string[]> =>
      Object.entries(placed(await windowOn(...window)))
        .filter(([, where]) => where === 'here')
        .map(([id]) => id)
        .toSorted();
    const ofA = ['in-folder-a', 'in-folders-a-b'];
    assert.deepEqual(await hereOn([a]), ofA);
    assert.deepEqual(await hereOn([at('link')]), ofA);
    assert.deepEqual(await hereOn([at('a/below')]), ofA);
    assert.deepEqual(await hereOn([a, at('elsewhere')]), ofA);
    assert.deepEqual(await hereOn([at('elsewhere')], { file: at('x.code-workspace') }), ['in-workspace']);
    assert.deepEqual(await hereOn([]), ['in-no-folder']);
    assert.deepEqual(await hereOn([home]), all.filter((id) => id !== 'in-no-folder').toSorted());
    const windowOfA = await windowOn([a]);
    assert.deepEqual(placed(windowOfA)['in-folder-b'], b);
    const files = windowOfA.heads.map((head) => windowOfA.elsewhere(head)?.workspaceFile);
    assert.deepEqual(new Set(files), new Set([undefined, at('x.code-workspace')]));
  });

  it('of a folder that is added to the window belong to it, and those of a removed one no more', async () => {
    const [a, b, c] = [await folder('a'), await folder('b'), await folder('c')];
    await symlink(c, at('link'));
    await write(await windowOn([a]), 'in-folder-a');
    await write(await windowOn([c]), 'in-folder-c');
    const folders = [a, b];
    const window = await windowOn(folders);
    assert.deepEqual(placed(window), { 'in-folder-a': 'here', 'in-folder-c': c });
    let changes = 0;
    window.onDidChange(() => changes++);
    folders.push(at('other'));
    const first = window.moveWindow();
    folders.splice(0, folders.length, b, at('link'));
    await Promise.all([first, window.moveWindow()]);
    assert.deepEqual(placed(window), { 'in-folder-a': a, 'in-folder-c': 'here' });
    assert.ok(changes > 0);
    assert.deepEqual((await window.open('in-folder-c')).moves, [{ from: c, to: at('link') }]);
  });

  it('of a saved workspace that an earlier version has stored have their place written once by each window', async () => {
    const [a, file] = [await folder('a'), at('x.code-workspace')];
    await write(await oldWindowOn([a], file), 'in-saved-workspace');
    class CountingFiles extends NodeFiles {
      readonly placesWritten: string[] = [];
      override replace(name: string, text: string): Promise<void> {
        if (path.basename(name) === 'place.json') this.placesWritten.push(name);
        return super.replace(name, text);
      }
    }
    const files = new CountingFiles();
    const window = await windowOn([a], { file, files });
    await window.moveWindow();
    await window.moveWindow();
    assert.deepEqual(placed(window), { 'in-saved-workspace': 'here' });
    assert.equal(files.placesWritten.length, 1);
  });

  it('of a saved workspace keep their folders when a window is told its own late, or never', async () => {
    const [a, b, file] = [await folder('a'), await folder('b'), at('x.code-workspace')];
    await write(await oldWindowOn([a], file), 'in-saved-workspace');
    await (await windowOn([a], { file })).moveWindow();
    const folders: string[] = [];
    const late = await windowOn(folders, { file });
    await late.moveWindow();
    assert.deepEqual(placed(late), { 'in-saved-workspace': 'here' });
    assert.deepEqual(placed(await windowOn([a])), { 'in-saved-workspace': 'here' });
    assert.deepEqual(placed(await windowOn([b])), { 'in-saved-workspace': a });
  });

  it('continue in the folders that the window has when the user writes, not when it began', async () => {
    const [a, b] = [await folder('a'), await folder('b')];
    const folders: string[] = [];
    const window = await windowOn(folders);
    const files = window.create(headOf('in-two-folders'));
    files.append(begin('in-two-folders'));
    files.append(promptOf('in-two-folders'));
    folders.push(a);
    await window.moveWindow();
    await files.flush();
    assert.deepEqual(placed(await windowOn([b])), { 'in-two-folders': { isGone: false } });
    files.append(promptOf('in-two-folders', 'in a'));
    folders.push(b);
    await window.moveWindow();
    files.append(promptOf('in-two-folders', 'in both'));
    await files.close();
    assert.deepEqual(placed(await windowOn([b])), { 'in-two-folders': 'here' });
    assert.deepEqual(placed(await windowOn([at('c')])), { 'in-two-folders': a });
    const { records } = await (await windowOn([b])).read('in-two-folders');
    assert.deepEqual(
      records.map(({ type }) => type),
      ['begin', 'prompt', 'prompt', 'prompt'],
    );
  });

  it('of a folder that was moved or cloned again are recognized by its repository', async () => {
    const project = await folder('project');
    gitIn(project, 'init', '-q');
    gitIn(project, 'commit', '-q', '--allow-empty', '-m', 'first');
    gitIn(project, 'remote', 'add', 'origin', 'https://user@example.org/me/project.git');
    await folder('project/pkg');
    await write(await windowOn([project]), 'in-project');
    await write(await windowOn([at('project/pkg')]), 'in-package');
    await rename(project, at('moved'));
    const moved = await windowOn([at('moved')]);
    assert.equal(placed(moved)['in-project'], 'here');
    assert.deepEqual((await moved.open('in-project')).moves, [{ from: project, to: at('moved') }]);
    await rm(at('moved'), { recursive: true });
    gitIn(home, 'init', '-q', 'clone');
    gitIn(at('clone'), 'remote', 'add', 'origin', 'git@example.org:me/project');
    await folder('clone/pkg');
    const cloned = await windowOn([at('clone/pkg')]);
    await until('places', () => placed(cloned)['in-package'] === 'here');
    assert.deepEqual((await cloned.open('in-package')).moves, [{ from: at('project/pkg'), to: at('clone/pkg') }]);
  });

  it('of a folder that became a repository later are recognized by it, once they were continued there', async () => {
    const project = await folder('project');
    await write(await windowOn([project]), 'conversation');
    gitIn(project, 'init', '-q');
    gitIn(project, 'commit', '-q', '--allow-empty', '-m', 'first');
    const file = await (await windowOn([project])).open('conversation');
    await file.claim();
    await file.close();
    await rename(project, at('moved'));
    assert.deepEqual(placed(await windowOn([at('moved')])), { conversation: 'here' });
  });

  it('belong to the folders of their last checkpoint if their heads are lost', async () => {
    const [old, other] = [await folder('old'), await folder('other')];
    const window = await windowOn([old]);
    for (const id of ['conversation', 'moved-conversation']) {
      const files = window.create(headOf(id));
      files.append(begin(id));
      files.append({ type: 'checkpoint', at: 3, turn: 1, folders: [{ folder: old, id: 'c1' }] });
      if (id !== 'conversation') files.append({ type: 'relocated', at: 4, moves: [{ from: old, to: at('new') }] });
      await files.close();
      await rm(path.join(root(), 'heads', `${id}.json`));
    }
    await rm(path.join(root(), 'heads'), { recursive: true });
    assert.deepEqual(placed(await windowOn([old])), { conversation: 'here', 'moved-conversation': at('new') });
    assert.deepEqual(placed(await windowOn([other])), { conversation: old, 'moved-conversation': at('new') });
  });

  it('go on in a folder that the user has located, with the paths of their files', async () => {
    const old = await folder('old');
    const window = await windowOn([old]);
    const files = window.create(headOf('conversation'));
    files.append(begin('conversation'));
    files.append({ type: 'snapshot', at: 3, path: path.join(old, 'a.txt'), text: null });
    files.append({ type: 'checkpoint', at: 3, turn: 1, folders: [{ folder: old, id: 'c1' }] });
    await files.flush();
    await files.close();
    await rename(old, await folder('new').then(async (to) => (await rm(to, { recursive: true }), to)));
    const first = await windowOn([at('new')]);
    await until('the folder is gone', () => first.elsewhere(first.heads[0] ?? headOf('x'))?.isGone === true);
    await first.locateFolder(old, at('new'));
    assert.deepEqual(placed(first), { conversation: 'here' });
    const opened = await openAndRead(first, 'conversation');
    const expected = [
      { type: 'snapshot', at: 3, path: path.join(at('new'), 'a.txt'), text: null },
      { type: 'checkpoint', at: 3, turn: 1, folders: [{ folder: at('new'), id: 'c1' }] },
    ];
    assert.deepEqual(opened.records.slice(1), expected);
    await opened.file.claim();
    opened.file.append({ type: 'snapshot', at: 4, path: path.join(at('new'), 'new', 'b.txt'), text: null });
    await opened.file.close();
    // A folder that has the old path later is another one.
    await folder('old');
    await write(await windowOn([at('old')]), 'of-another');
    const later = await windowOn([at('new')]);
    assert.deepEqual(placed(later), { conversation: 'here', 'of-another': at('old') });
    assert.deepEqual((await later.read('conversation')).records.slice(1), [
      ...expected,
      { type: 'snapshot', at: 4, path: path.join(at('new'), 'new', 'b.txt'), text: null },
    ]);
    // Into a folder inside of itself, which is the same prefix.
    await rename(at('new'), at('aside'));
    await mkdir(at('new'));
    await rename(at('aside'), at('new/new'));
    const inner = await windowOn([at('new/new')]);
    await inner.locateFolder(at('new'), at('new/new'));
    const { file: again } = await openAndRead(inner, 'conversation');
    await again.claim();
    await again.close();
    const read = (await (await windowOn([at('new/new')])).read('conversation')).records;
    assert.deepEqual(
      read.flatMap((record) => (record.type === 'snapshot' ? [record.path] : [])),
      [at('new/new/a.txt'), at('new/new/new/b.txt')],
    );
  });

  it('are where they were when the user takes back that a folder was located, but for what was continued there', async () => {
    const wrong = await folder('wrong');
    const before = await windowOn([await folder('old')]);
    for (const id of ['conversation-1', 'conversation-2']) await write(before, id);
    await rm(at('old'), { recursive: true });
    const window = await windowOn([wrong]);
    const undo = await window.locateFolder(at('old'), wrong);
    assert.deepEqual(placed(window), { 'conversation-1': 'here', 'conversation-2': 'here' });
    const file = await window.open('conversation-2');
    await file.claim();
    await file.close();
    await undo();
    assert.deepEqual(placed(window), { 'conversation-1': at('old'), 'conversation-2': 'here' });
    assert.deepEqual(placed(await windowOn([wrong])), placed(window));
    const isGone = (): boolean =>
      window.heads.some((head) => head.id === 'conversation-1' && window.elsewhere(head)?.isGone === true);
    assert.ok(isGone());
    await window.locateFolder(at('of-no-conversation'), wrong);
    assert.ok(isGone());
    await (
      await window.locateFolder(at('old'), wrong)
    )();
    assert.equal(placed(window)['conversation-1'], at('old'));
  });

  it('have each path once, though two windows continue them where the user has located the folder', async () => {
    const snapshot = (name: string) => ({ type: 'snapshot' as const, at: 4, path: at(name), text: null });
    const before = (await windowOn([await folder('project')])).create(headOf('conversation'));
    before.append(begin('conversation'));
    before.append(snapshot('project/a'));
    await before.close();
    await rename(at('project'), at('aside'));
    await mkdir(at('project'));
    await rename(at('aside'), at('project/project'));
    const [one, two] = [await windowOn([at('project/project')]), await windowOn([at('project/project')])];
    await one.locateFolder(at('project'), at('project/project'));
    const first = await openAndRead(one, 'conversation');
    const stale = await windowOn([at('project/project')]);
    const second = await openAndRead(stale, 'conversation');
    assert.equal(second.file.moves.length, 1);
    await first.file.claim();
    first.file.append(snapshot('project/project/b'));
    await first.file.close();
    const followed: LogRecord[] = [];
    second.file.onDidReadRecords(({ records }) => followed.push(...records));
    await second.file.claim();
    assert.deepEqual(followed, [snapshot('project/project/b')]);
    second.file.append(snapshot('project/project/c'));
    await second.file.close();
    const all = [snapshot('project/project/a'), snapshot('project/project/b'), snapshot('project/project/c')];
    assert.deepEqual((await stale.read('conversation')).records.slice(1), all);
    assert.deepEqual((await two.read('conversation')).records.slice(1), all);
  });

  it('of the versions before are placed by the window, by what VS Code knows, and by their logs', async () => {
    const names = ['window', 'known', 'unsaved', 'logged', 'nowhere'];
    for (const name of names) await write(await oldWindowOn([await folder(name)]), `in-${name}-before`);
    await write(await oldWindowOn([at('x'), at('y')]), 'in-unsaved-workspace');
    await write(await oldWindowOn([at('x')], at('my.code-workspace')), 'in-saved-workspace');
    const known = async (name: string, value: object): Promise<void> => {
      await mkdir(at(`workspaceStorage/${name}`), { recursive: true });
      await writeFile(at(`workspaceStorage/${name}/workspace.json`), JSON.stringify(value));
    };
    await known('1', { folder: pathToFileURL(at('known')).href });
    await known('2', { workspace: pathToFileURL(at('unsaved.json')).href });
    await writeFile(at('unsaved.json'), JSON.stringify({ folders: [{ path: 'x' }, { path: at('y') }] }));
    await known('3', { workspace: pathToFileURL(at('my.code-workspace')).href });
    await known('4', { folder: 'vscode-remote://there/x' });
    const logged = await oldWindowOn([at('logged')]);
    const file = await logged.open('in-logged-before');
    await file.claim();
    file.append({ type: 'checkpoint', at: 3, turn: 1, folders: [{ folder: at('logged'), id: 'c' }] });
    await file.close();
    const store = await windowOn([at('window')]);
    await until('places', () => placed(store)['in-logged-before'] === at('logged'));
    assert.deepEqual(placed(store), {
      'in-window-before': 'here',
      'in-known-before': at('known'),
      'in-unsaved-before': { isGone: false },
      'in-logged-before': at('logged'),
      'in-nowhere-before': { isGone: false },
      'in-unsaved-workspace': at('x'),
      'in-saved-workspace': { isGone: false },
    });
    const saved = await windowOn([at('x')], { file: at('my.code-workspace') });
    await until('places', () => placed(saved)['in-saved-workspace'] === 'here');
  });

  it('of an older version that runs beside this one are followed, and what is new there is found', async () => {
    const a = await folder('a');
    const old = await oldWindowOn([a]);
    await write(old, 'conversation-1');
    const theirs = await old.open('conversation-1');
    await theirs.claim();
    const now = await windowOn([a]);
    const ours = await now.open('conversation-1');
    assert.ok(ours.isInUseElsewhere);
    await assert.rejects(ours.claim(), { code: 'readonly' });
    const texts: string[] = [];
    ours.onDidReadRecords(({ records }) =>
      texts.push(...records.flatMap((one) => ('text' in one ? [String(one.text)] : []))),
    );
    const following = ours.follow();
    theirs.append(promptOf('conversation-1', 'more'));
    await theirs.flush();
    await until('it is followed', () => texts.includes('more'));
    following.dispose();
    // It writes the head without what it does not know, and a new conversation.
    theirs.updateHead({ title: 'Renamed by the old version' });
    await theirs.close();
    await write(old, 'conversation-2');
    await until('both', () => now.heads.length === 2 && now.heads.some(({ title }) => title.startsWith('Renamed')));
    await until('places', () => Object.values(placed(now)).join() === 'here,here');
    // The old version also sees what is continued here.
    const file = await now.open('conversation-2');
    await file.claim();
    file.append(promptOf('conversation-2', 'from the new version'));
    await file.close();
    const read = (await old.read('conversation-2')).records;
    assert.ok(read.some((record) => record.type === 'prompt' && record.text === 'from the new version'));
    assert.equal((await old.read('conversation-2')).damage, undefined);
  });

  it('survive a take-over that is killed after any operation, twice at once, beside an older version', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ place: fc.nat(3), count: fc.integer({ min: 1, max: 2 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.array(fc.nat(14), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (older, kills, isOldVersionOpen) => {
          await rm(home, { recursive: true, force: true, maxRetries: 5 });
          await mkdir(at('chats/heads'), { recursive: true });
          const places = [[], [await folder('a')], [await folder('b')], [at('a'), at('b')]];
          const ids: string[] = [];
          for (const [number, { count, place }] of older.entries()) {
            for (let index = 0; index < count; index++) {
              const id = `conversation-${number}-${index}`;
              await write(await oldWindowOn(places[place] ?? []), id);
              ids.push(id);
            }
          }
          // The oldest version had them in VS Code's storage of the workspace.
          const oldest = new ConversationStore({
            folder: at('chats'),
            files: new NodeFiles(),
            clock: systemClock,
            log: nullLogger,
          });
          await oldest.start();
          for (const id of ['oldest-one', 'oldest-two']) {
            await write(oldest, id);
            ids.push(id);
          }
          await oldest.stop();
          oldest.dispose();
          const old = isOldVersionOpen ? await oldWindowOn([at('a')]) : undefined;
          const start = async (files: FilePort): Promise<ConversationStore> => {
            const to = await findConversationsFolder(root(), { file: undefined, folders: [at('a')] });
            await moveOldConversations({ from: at('chats'), to, files, clock: systemClock, log: nullLogger });
            return await windowOn([at('a')], { files });
          };
          for (const kill of kills) {
            await Promise.all([start(new KilledFiles(kill)), start(new KilledFiles(kill + 1))]);
            await stopAllBut(old);
          }
          if (old) {
            await write(old, 'by-the-old-version');
            ids.push('by-the-old-version');
          }
          await Promise.all([start(new NodeFiles()), start(new NodeFiles())]);
          for (const store of stores.slice(-2)) await checkWhole(store, ids);
          const there = (await readdir(root())).filter((name) => name.startsWith('conversation-'));
          assert.deepEqual(there, []);
          await stopAll();
        },
      ),
      { numRuns: 25 },
    );
  });

  async function stopAllBut(kept: ConversationStore | undefined): Promise<void> {
    const ended = stores.filter((store) => store !== kept);
    for (const store of ended) {
      await store.stop();
      store.dispose();
      stores.splice(stores.indexOf(store), 1);
    }
  }
});
