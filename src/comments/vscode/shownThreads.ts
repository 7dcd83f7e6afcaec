import * as path from 'node:path';
import * as vscode from 'vscode';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { moveHomes } from '../common/commentChanges';
import { reviewerOf, stateOfThread, type CommentThread } from '../common/commentThread';
import { commentHome, type CommentPlace } from '../common/placeComment';
import { ThreadPlacer } from '../common/threadPlacer';
import type { CommentStore } from '../node/commentStore';
import { commentsOf, isShownComment, labelOf, type ShownComment } from './shownComments';

interface ShownThreadsDeps {
  readonly controller: Pick<vscode.CommentController, 'createCommentThread'>;
  readonly store: CommentStore;
  readonly editor: Pick<EditorPort, 'readText' | 'resolve'>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface ShownThread {
  readonly view: vscode.CommentThread;
  /** What was shown last, so that VS Code is told only of changes. */
  content: string;
}

interface PlacedThread {
  readonly uri: vscode.Uri;
  readonly place: CommentPlace;
}

const editDelayMs = 200;

/** Shows the stored threads as VS Code's comment threads, which follow their lines. */
export class ShownThreads implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly shown = new Map<string, ShownThread>();
  private readonly idOfView = new WeakMap<vscode.CommentThread, string>();
  private readonly queue = new KeyedQueue();
  private readonly edits: Coalescer;
  private editedPaths = new Set<string>();
  /** Ids of the threads in which the user rewrites a comment. */
  private readonly edited = new Set<string>();

  constructor(private readonly deps: ShownThreadsDeps) {
    this.edits = this.disposables.add(new Coalescer(deps.clock, editDelayMs, () => this.updateEdited()));
  }

  start(): void {
    const { disposables } = this;
    const schedule = ({ uri }: vscode.TextDocument): void => {
      if (!this.deps.store.threads.some((thread) => thread.path === uri.fsPath)) return;
      this.editedPaths.add(uri.fsPath);
      this.edits.schedule();
    };
    disposables.add(this.deps.store.onDidChange(() => void this.update()));
    disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ contentChanges, document }) => {
        if (contentChanges.length > 0) schedule(document);
      }),
    );
    disposables.add(vscode.workspace.onDidOpenTextDocument(schedule));
    disposables.add(vscode.workspace.onDidCloseTextDocument(schedule));
    disposables.add(vscode.workspace.onDidSaveTextDocument((document) => void this.moveHomesTo(document)));
  }

  /** Returns the id of the stored thread. Undefined for one that the user has just begun. */
  idOf(view: vscode.CommentThread): string | undefined {
    return this.idOfView.get(view);
  }

  /** Shows a stored thread in the thread that the user has begun. */
  adopt(view: vscode.CommentThread, id: string): void {
    this.idOfView.set(view, id);
    this.shown.set(id, { view, content: '' });
  }

  /** Takes back `adopt`. */
  release(view: vscode.CommentThread, id: string): void {
    this.idOfView.delete(view);
    this.shown.delete(id);
  }

  /** The user rewrites a comment of the thread: its comments stay as they are shown until `endEdit`. */
  beginEdit(id: string): void {
    this.edited.add(id);
  }

  endEdit(id: string): void {
    this.edited.delete(id);
  }

  /** Shows the comments of a thread as they are stored, each in the mode that `modeOf` returns. */
  redraw(id: string, modeOf: (comment: ShownComment) => vscode.CommentMode = () => vscode.CommentMode.Preview): void {
    const view = this.shown.get(id)?.view;
    const thread = this.deps.store.threads.find((one) => one.id === id);
    if (!view || !thread) return;
    const stored = new Map(thread.comments.map((comment) => [comment.id, comment.text]));
    view.comments = view.comments.map((comment) =>
      isShownComment(comment) && comment.contextValue === 'user'
        ? { ...comment, body: stored.get(comment.commentId) ?? comment.body, mode: modeOf(comment) }
        : comment,
    );
  }

  /**
   * Where the lines of threads are in the newest texts of their files, by the ids of the threads. They are gone if a file cannot be
   * read. Without threads of files that agents may not read.
   */
  async placesInFiles(threads: readonly CommentThread[]): Promise<ReadonlyMap<string, CommentPlace>> {
    const places = new Map<string, CommentPlace>();
    for (const [file, inFile] of Map.groupBy(threads, ({ path }) => path)) {
      if (!(await this.mayRead(file))) continue;
      const text = await this.textOfFile(file);
      const placer = this.newPlacer();
      for (const thread of inFile)
        places.set(thread.id, text === undefined ? { kind: 'gone' } : await placer.place(thread, text));
    }
    return places;
  }

  /** Updates what is shown of all threads, or of those of some files. Never rejects. */
  async update(paths?: ReadonlySet<string>): Promise<void> {
    await this.queue
      .run('', () => this.updateNow(paths))
      .catch((error: unknown) => this.deps.log.error('comments could not be shown', error));
  }

  dispose(): void {
    this.disposables.dispose();
    for (const { view } of this.shown.values()) view.dispose();
    this.shown.clear();
  }

  private updateEdited(): void {
    const { editedPaths } = this;
    this.editedPaths = new Set();
    void this.update(editedPaths);
  }

  private async updateNow(paths: ReadonlySet<string> | undefined): Promise<void> {
    const { threads } = this.deps.store;
    const ids = new Set(threads.map(({ id }) => id));
    for (const [id, { view }] of this.shown) {
      if (ids.has(id)) continue;
      view.dispose();
      this.shown.delete(id);
    }
    const affected = threads.filter((thread) => paths?.has(thread.path) ?? true);
    for (const [file, inFile] of Map.groupBy(affected, (thread) => thread.path)) {
      const text = await this.textOfFile(file);
      const placer = this.newPlacer();
      for (const thread of inFile) {
        const placed = await this.placeOf(thread, text, placer);
        if (this.disposables.isDisposed) return;
        this.show(thread, placed);
      }
    }
  }

  /** A thread of an earlier text stands there while that is open, and otherwise at the lines of the file that replaced it. */
  private async placeOf(thread: CommentThread, text: string | undefined, placer: ThreadPlacer): Promise<PlacedThread> {
    const document = thread.document === undefined ? undefined : openDocument(vscode.Uri.parse(thread.document));
    if (document) {
      const place = await placer.place(thread, document.getText());
      if (place.kind === 'same') return { uri: document.uri, place };
    }
    const place: CommentPlace = text === undefined ? { kind: 'gone' } : await placer.place(thread, text);
    return { uri: vscode.Uri.file(thread.path), place };
  }

  private newPlacer(): ThreadPlacer {
    return new ThreadPlacer((hash) => this.deps.store.homeText(hash));
  }

  private show(thread: CommentThread, { place, uri }: PlacedThread): void {
    const { controller } = this.deps;
    const state = stateOfThread(thread);
    const content = JSON.stringify([thread.comments, state, place]);
    let shown = this.shown.get(thread.id);
    if (shown && this.edited.has(thread.id)) {
      shown.view.range = rangeOf(place);
      return;
    }
    if (shown && shown.view.uri.toString() !== uri.toString()) {
      shown.view.dispose();
      shown = undefined;
    }
    const range = rangeOf(place);
    if (!shown) {
      const view = controller.createCommentThread(uri, range ?? new vscode.Range(0, 0, 0, 0), []);
      view.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      shown = { view, content: '' };
      this.idOfView.set(view, thread.id);
      this.shown.set(thread.id, shown);
    }
    if (shown.content === content) return;
    shown.content = content;
    const { view } = shown;
    view.range = range;
    view.label = labelOf(state, place);
    view.contextValue =
      state !== 'finding' && state !== 'resolved' && reviewerOf(thread) !== undefined ? `${state}Finding` : state;
    view.state = state === 'resolved' ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    view.comments = commentsOf(thread, place);
  }

  /** The file may have been renamed or excluded since its comments were written, and a file that is gone may be named. */
  private async mayRead(file: string): Promise<boolean> {
    return await this.deps.editor.resolve(file).then(
      () => true,
      () => false,
    );
  }

  private async textOfFile(file: string): Promise<string | undefined> {
    const open = openDocument(vscode.Uri.file(file));
    if (open) return open.getText();
    return await this.deps.editor.readText(file).then(
      ({ text }) => text,
      () => undefined,
    );
  }

  /** Lines that are whole in a saved text are found from there from now on. Never rejects. */
  private async moveHomesTo(document: vscode.TextDocument): Promise<void> {
    const { log, store } = this.deps;
    const text = document.getText();
    const threads = store.threads.filter(
      (thread) => thread.path === document.uri.fsPath && thread.document === undefined,
    );
    const homes = new Map<string, CommentThread['home']>();
    const placer = this.newPlacer();
    for (const thread of threads) {
      const place = await placer.place(thread, text);
      const home = place.kind === 'same' ? store.homeOf(commentHome(text, place.lines)) : thread.home;
      if (home.hash !== thread.home.hash) homes.set(thread.id, home);
    }
    if (homes.size === 0) return;
    await store.change(moveHomes(homes)).catch((error: unknown) => log.error('cannot follow lines', error));
  }
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const name = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === name && !document.isClosed);
}

/** Undefined: VS Code then shows the thread at the file, and not at a line. */
function rangeOf(place: CommentPlace): vscode.Range | undefined {
  if (place.kind === 'gone') return undefined;
  const { end, start } = place.lines;
  return new vscode.Range(start, 0, Math.max(start, end - 1), 0);
}

/** Returns the path of a file after it, or a folder around it, was moved. Undefined if it was not. */
export function pathAfterMove(file: string, from: string, to: string): string | undefined {
  if (file === from) return to;
  return file.startsWith(from + path.sep) ? to + file.slice(from.length) : undefined;
}
