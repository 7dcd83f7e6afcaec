import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../src/base/common/disposable';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { FollowedThread } from '../../src/threads/common/followedThread';
import { ReadMarks } from '../../src/threads/common/tree/readMarks';
import { ampPlaces } from '../../src/threads/node/ampData';
import { ampThreads, type AmpThreads } from '../../src/threads/node/ampThreads';
import { ThreadDecorations } from '../../src/threads/vscode/threadDecorations';
import { ThreadDocuments } from '../../src/threads/vscode/threadDocuments';
import { ThreadsView } from '../../src/threads/vscode/threadsView';
import { eventually } from './support/eventually';
import { closeAll, inWorkspace } from './support/workspace';

const id = (n: number): string => `T-019be0a1-0000-7000-8000-${String(n).padStart(12, '0')}`;

type Message = Record<string, unknown>;
const prompt = (text: string, n: number): Message => ({
  role: 'user',
  messageId: n,
  content: [{ type: 'text', text }],
  meta: { sentAt: Date.now() },
});
const answer = (text: string, n: number, state: object = { type: 'complete', stopReason: 'end_turn' }): Message => ({
  role: 'assistant',
  messageId: n,
  content: [{ type: 'text', text }],
  state,
});

/** The parts of the feature over a store of the test's own, in the real VS Code. */
describe('Amp threads', () => {
  let folder: string;
  let store: DisposableStore;
  let threads: AmpThreads;
  let view: ThreadsView;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-threads-test-'));
    await mkdir(path.join(folder, 'amp', 'threads'), { recursive: true });
    const extension = vscode.extensions.getExtension('backline.backline');
    assert.ok(extension);
    store = new DisposableStore();
    threads = ampThreads({
      places: ampPlaces({ XDG_DATA_HOME: folder }, folder),
      moreFolders: () => [],
      findCommand: () => Promise.resolve(undefined),
      indexFolder: path.join(folder, 'index'),
      workerFile: vscode.Uri.joinPath(extension.extensionUri, 'dist', 'thread-index-worker.js').fsPath,
      clock: systemClock,
      log: nullLogger,
    });
    store.add(threads.library);
    const state = new Map<string, unknown>();
    const memento = {
      get: (name: string) => state.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void state.set(name, value)),
    };
    view = store.add(
      new ThreadsView({
        library: threads.library,
        marks: new ReadMarks(memento, fail),
        decorations: new ThreadDecorations(),
        workspaceFolders: () => Promise.resolve([inWorkspace()]),
        memento,
        onDidDropFiles: () => undefined,
        clock: systemClock,
      }),
    );
    // Not started: VS Code has the real one in that place.
    store.add(threads.library.onDidChange(() => view.update()));
  });

  afterEach(async () => {
    store.dispose();
    await closeAll();
    await rm(folder, { recursive: true, force: true });
  });

  /** As Amp does: the whole file anew, then a rename. */
  async function write(n: number, title: string, messages: readonly Message[]): Promise<void> {
    const file = path.join(folder, 'amp', 'threads', `${id(n)}.json`);
    const env = { initial: { trees: [{ uri: vscode.Uri.file(inWorkspace()).toString() }] } };
    await writeFile(`${file}.amptmp`, JSON.stringify({ v: 1, id: id(n), created: Date.now(), messages, title, env }));
    await rename(`${file}.amptmp`, file);
  }

  /** Ids of the rows in sight, from the top. */
  async function rows(parent?: string): Promise<string[]> {
    const found = await view.getChildren(parent);
    return [...found, ...(await Promise.all(found.map((row) => rows(row)))).flat()];
  }

  const labelOf = (row: string): unknown => view.getTreeItem(row).label;

  it('are listed when their file is written, and nothing is read before somebody looks', async () => {
    await write(1, 'First', [prompt('Hello', 0)]);
    assert.equal(threads.library.isListed, false);
    assert.ok((await rows()).includes(id(1)));
    await write(2, 'Second', [prompt('Hello', 0)]);
    await eventually('the second row', async () => assert.ok((await rows()).includes(id(2))));
  });

  it('change their title in place', async () => {
    await write(1, 'Before', [prompt('Hello', 0)]);
    await write(2, 'Other', [prompt('Hello', 0)]);
    await rows();
    const changed: (string[] | undefined)[] = [];
    store.add(view.onDidChangeTreeData((ids) => changed.push(ids)));
    await write(1, 'After', [prompt('Hello', 0)]);
    await eventually('the new title', () => assert.equal(labelOf(id(1)), 'After'));
    assert.ok(!changed.flat().includes(id(2)));
  });

  it('are a row with their problem when they cannot be read', async () => {
    await writeFile(path.join(folder, 'amp', 'threads', `${id(3)}.json`), '');
    await rows();
    const item = view.getTreeItem(id(3));
    assert.match(String(item.contextValue), /^broken/);
    assert.ok(String(item.description).length > 0);
  });

  it('are followed through ten atomic rewrites, and unchanged entries stay the same', async () => {
    await write(1, 'Growing', [prompt('Hello', 0)]);
    const followed = store.add(new FollowedThread(id(1), threads.library, fail));
    await followed.start();
    const first = followed.transcript.get('m0');
    const messages = [prompt('Hello', 0)];
    for (let n = 1; n <= 10; n++) {
      messages.push(answer(`Answer ${n}`, n));
      await write(1, 'Growing', messages);
    }
    await eventually('the tenth answer', () => {
      const texts = [...followed.transcript.entries()].map((entry) => ('text' in entry ? entry.text : ''));
      assert.ok(texts.includes('Answer 10'), texts.join());
    });
    assert.equal(followed.transcript.get('m0')?.id, first?.id);
  });

  it('read as cancelled when they were', async () => {
    await write(1, 'Stopped', [prompt('Hello', 0), answer('Half of', 1, { type: 'cancelled' })]);
    await rows();
    assert.match(String(view.getTreeItem(id(1)).description), /cancelled/);
    const { entries } = await threads.library.read(id(1));
    assert.ok(entries.some((entry) => entry.kind === 'end' && entry.outcome === 'cancelled'));
  });

  it('open without holding up the editor, however long they are', async () => {
    const long = Array.from({ length: 4_000 }, (_, n) =>
      n % 2 === 0 ? prompt(`Question ${n}`, n) : answer(`Answer ${n} ${'word '.repeat(2_000)}`, n),
    );
    await write(1, 'Huge', long);
    let longestMs = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }, 5);
    const { entries } = await threads.library.read(id(1));
    clearInterval(beat);
    assert.ok(entries.length >= 4_000);
    // Parsing 20 MB here would take longer than that; speed itself is for the bench.
    assert.ok(longestMs < 1_000, `${Math.round(longestMs)} ms`);
  });

  it('show the JSON of a block in a read-only editor', async () => {
    await write(1, 'Raw', [prompt('Hello', 0), answer('World', 1)]);
    const documents = store.add(new ThreadDocuments(threads.library));
    // The feature itself serves the scheme already: its own store has no such thread.
    await documents.showRaw(id(1), 'm1.0');
    const shown = vscode.window.activeTextEditor?.document;
    assert.equal(shown?.languageId, 'json');
  });
});

function fail(error: unknown): never {
  throw error;
}
