import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../../src/base/common/disposable';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { ReadMarks } from '../../../src/threads/common/tree/readMarks';
import { ampPaths } from '../../../src/threads/node/ampFolder/ampData';
import { createAmpThreads, type AmpThreads } from '../../../src/threads/node/ampThreads';
import { ThreadDecorations } from '../../../src/threads/vscode/threadDecorations';
import { ThreadsView } from '../../../src/threads/vscode/threadsView';
import { eventually } from '../../support/eventually';
import { inWorkspace } from './workspace';

export type Message = Record<string, unknown>;

export const threadId = (n: number): string => `T-019be0a1-0000-7000-8000-${String(n).padStart(12, '0')}`;

export const prompt = (text: string, n: number): Message => ({
  role: 'user',
  messageId: n,
  content: [{ type: 'text', text }],
  meta: { sentAt: Date.now() },
});

export const answer = (text: string, n: number, state: object = done): Message => ({
  role: 'assistant',
  messageId: n,
  content: [{ type: 'text', text }],
  state,
});
/** A call that started the thread of a subagent, and its result. */
export const subagentCall = (n: number, subthread: string): readonly Message[] => [
  {
    role: 'assistant',
    messageId: n,
    content: [{ type: 'tool_use', id: `c${n}`, name: 'Task', complete: true, input: { prompt: 'Look' } }],
    state: { type: 'complete', stopReason: 'tool_use' },
  },
  {
    role: 'user',
    messageId: n + 1,
    content: [{ type: 'tool_result', toolUseID: `c${n}`, run: { status: 'done', progress: { threadID: subthread } } }],
  },
];
const done = { type: 'complete', stopReason: 'end_turn' };

/** The list of threads over a store of the test's own, in the real VS Code. Dispose it. */
export class ThreadsUnderTest {
  readonly store = new DisposableStore();
  readonly threads: AmpThreads;
  readonly view: ThreadsView;
  readonly marks: ReadMarks;
  readonly decorations = new ThreadDecorations();
  /** URIs of what was dropped on the list. */
  readonly dropped: string[] = [];
  /** What the list takes for now; default the time. */
  nowMs: number | undefined;

  private constructor(readonly folder: string) {
    const extension = vscode.extensions.getExtension('backline.backline');
    assert.ok(extension);
    this.threads = createAmpThreads({
      paths: ampPaths({ XDG_DATA_HOME: folder }, folder),
      moreFolders: () => [],
      findCommand: () => Promise.resolve(undefined),
      indexFolder: path.join(folder, 'index'),
      workerFile: vscode.Uri.joinPath(extension.extensionUri, 'dist', 'thread-index-worker.js').fsPath,
      clock: systemClock,
      log: nullLogger,
    });
    const { library } = this.threads;
    this.store.add(library);
    const state = new Map<string, unknown>();
    const memento = {
      get: (name: string) => state.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void state.set(name, value)),
    };
    this.marks = new ReadMarks(memento, fail);
    this.view = this.store.add(
      new ThreadsView({
        library,
        marks: this.marks,
        decorations: this.decorations,
        workspaceFolders: () => Promise.resolve([inWorkspace()]),
        memento,
        onDidDropFiles: (uris) => this.dropped.push(...uris.map((uri) => uri.toString())),
        clock: { ...systemClock, now: () => this.nowMs ?? systemClock.now() },
      }),
    );
    // Not started: VS Code has the real one in that place.
    this.store.add(library.onDidChange(() => this.view.refreshChangedRows()));
  }

  static async start(): Promise<ThreadsUnderTest> {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-threads-test-'));
    await mkdir(path.join(folder, 'amp', 'threads'), { recursive: true });
    return new ThreadsUnderTest(folder);
  }

  file(n: number): string {
    return path.join(this.folder, 'amp', 'threads', `${threadId(n)}.json`);
  }

  /** As Amp does: the whole file anew, then a rename. `more` are fields of the document. */
  async write(n: number, title: string, messages: readonly Message[], more: Message = {}): Promise<void> {
    const file = this.file(n);
    const document = {
      v: 1,
      id: threadId(n),
      created: Date.now(),
      messages,
      title,
      env: envOf(inWorkspace()),
      ...more,
    };
    await writeFile(`${file}.amptmp`, JSON.stringify(document));
    await rename(`${file}.amptmp`, file);
  }

  /** Ids of the rows in sight, from the top. */
  async rows(parent?: string): Promise<string[]> {
    const found = await this.view.getChildren(parent);
    return [...found, ...(await Promise.all(found.map((row) => this.rows(row)))).flat()];
  }

  /** What the rows in sight say, from the top, groups too. */
  async labels(): Promise<string[]> {
    return (await this.rows()).map((row) => this.labelOf(row));
  }

  labelOf(row: string): string {
    const { label } = this.view.getTreeItem(row);
    assert.ok(typeof label === 'string');
    return label;
  }

  async dispose(): Promise<void> {
    this.store.dispose();
    // Its worker may still write the index.
    await eventually('an end of its files', () => rm(this.folder, { recursive: true, force: true }));
  }
}

export function envOf(...folders: readonly string[]): Message {
  return { initial: { trees: folders.map((folder) => ({ uri: vscode.Uri.file(folder).toString() })) } };
}

export function fail(error: unknown): never {
  throw error;
}
