import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { RunningFeature } from '../../base/common/feature';
import { NodeFiles } from '../../base/node/filePort';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, contextKeys, type CommandId } from '../../manifest';
import type { NoticeBoard } from '../../platform/common/noticeBoard';
import type { Commands } from '../../platform/vscode/commands';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import {
  addComment,
  addFindings,
  addThread,
  deleteComment,
  deleteThread,
  editComment,
  makeDraft,
  moveFiles,
  setResolved,
  type CommentChange,
} from '../common/commentChanges';
import type { CommentChat, ReviewFindings, TurnAnswer } from '../common/commentChat';
import { draftThreads, type Comment } from '../common/commentThread';
import type { DraftCount } from '../common/draftCount';
import { commentHome } from '../common/placeComment';
import { CommentStore } from '../node/commentStore';
import { CommentSender } from './commentSender';
import { FollowedRenames } from './followedRenames';
import { isShownComment, unstoredComment, type ShownComment } from './shownComments';
import { pathAfterMove, ShownThreads } from './shownThreads';

interface CommentsDeps extends Pick<NoticeContext, 'clock' | 'log'> {
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly notices: Pick<NoticeBoard, 'show'>;
  /** VS Code shows the threads through it. The caller disposes it. */
  readonly controller: Pick<vscode.CommentController, 'createCommentThread'>;
  readonly editor: Pick<EditorPort, 'readText' | 'resolve' | 'stat'>;
  readonly chat: CommentChat;
  /** Is told how many threads would be sent now. */
  readonly draftCount: Pick<DraftCount, 'set'>;
  /** Absolute path of the folder for the comments of this workspace. Need not exist. */
  readonly folder: string;
}

/** The loaded feature, for other features. */
export interface RunningCommentsFeature extends RunningFeature {
  /** See `CommentSender.promptOf`. */
  promptOf(attachmentId: string, conversation: string): Promise<string>;
  /** See `CommentSender.noteOutcome`. */
  noteOutcome(attachmentId: string, conversation: string, outcome: 'accepted' | 'withdrawn'): Promise<void>;
  /** See `FollowedRenames.follow`. Never rejects. */
  followRenames(formerPaths: ReadonlyMap<string, string>): Promise<void>;
  /** See `CommentSender.takeAnswer`. */
  takeAnswer(answer: TurnAnswer): Promise<void>;
  /** Shows each finding as a thread at its lines. @throws CommentError */
  addFindings(found: ReviewFindings): Promise<void>;
}

/** Comments on lines. Its code is a separate bundle, which is loaded with the first comment. */
export async function startComments(deps: CommentsDeps): Promise<RunningCommentsFeature> {
  const { chat, clock, draftCount, editor, folder, log, notices } = deps;
  const disposables = new DisposableStore();
  const store = disposables.add(
    new CommentStore({
      folder,
      files: new NodeFiles(),
      clock,
      log,
      onDamaged: ({ message }) => notices.show({ level: 'warning', text: message, actions: [] }),
    }),
  );
  const threads = disposables.add(new ShownThreads({ ...deps, store }));
  const newId = (): string => randomUUID().slice(0, 13);
  const sender = new CommentSender({ store, threads, chat, clock, newId });
  const countDrafts = (): void => {
    const { length } = draftThreads(store.threads);
    void vscode.commands.executeCommand('setContext', contextKeys.commentsHasDrafts, length > 0);
    draftCount.set(length);
  };
  disposables.add(store.onDidChange(countDrafts));
  disposables.add(
    vscode.workspace.onDidRenameFiles(({ files }) => {
      const movedPath = (file: string): string | undefined => {
        for (const { newUri, oldUri } of files) {
          const moved = pathAfterMove(file, oldUri.fsPath, newUri.fsPath);
          if (moved !== undefined) return moved;
        }
        return undefined;
      };
      if (!store.threads.some((thread) => movedPath(thread.path) !== undefined)) return;
      store.change(moveFiles(movedPath)).catch((error: unknown) => log.error('cannot follow renamed files', error));
    }),
  );
  const renames = new FollowedRenames({
    store,
    exists: (path) =>
      editor.stat(path).then(
        () => true,
        () => false,
      ),
  });
  threads.start();
  for (const part of commandHandlers({ ...deps, store, threads, sender, newId })) disposables.add(part);
  await store.start();
  countDrafts();
  await threads.update();
  return {
    promptOf: (attachmentId, conversation) => sender.promptOf(attachmentId, conversation),
    noteOutcome: (attachmentId, conversation, outcome) => sender.noteOutcome(attachmentId, conversation, outcome),
    followRenames: (formerPaths) =>
      renames.follow(formerPaths).catch((error: unknown) => log.error('cannot follow renamed files', error)),
    takeAnswer: (answer) => sender.takeAnswer(answer),
    addFindings: async ({ agent, conversation, findings }) => {
      const at = clock.now();
      const threadsOfFindings = findings.map(({ lines, path, reviewedText, text }) => ({
        id: newId(),
        path,
        home: store.homeOf(commentHome(reviewedText, lines)),
        comments: [{ id: newId(), text, at, agent, conversation }],
      }));
      await store.change(addFindings(threadsOfFindings));
    },
    dispose: () => disposables.dispose(),
  };
}

interface CommandDeps extends Pick<CommentsDeps, 'clock' | 'commands' | 'editor'> {
  readonly store: CommentStore;
  readonly threads: ShownThreads;
  readonly sender: CommentSender;
  readonly newId: () => string;
}

function commandHandlers({ clock, commands, editor, newId, sender, store, threads }: CommandDeps) {
  const handle = (id: CommandId, run: (target: unknown) => unknown) => commands.setHandler(id, run);
  const changeOfThread = (id: CommandId, change: (threadId: string) => CommentChange) =>
    handle(id, (target) => store.change(change(threadIdOf(threads, target))));
  const newComment = (text: string): Comment => ({ id: newId(), text, at: clock.now() });

  async function add(reply: unknown): Promise<void> {
    if (!isReply(reply)) throw new Error('Write a comment beside a line first.');
    const text = reply.text.trim();
    if (text === '') return;
    const { thread } = reply;
    const known = threads.idOf(thread);
    if (known !== undefined) {
      await keepOnFailure(thread, text, store.change(addComment(known, newComment(text))));
      return;
    }
    const { range, uri } = thread;
    const path = await editor.resolve(uri.fsPath);
    const document = await vscode.workspace.openTextDocument(uri);
    const start = range?.start.line ?? 0;
    const home = commentHome(document.getText(), { start, end: (range?.end.line ?? start) + 1 });
    const id = newId();
    threads.adopt(thread, id);
    const stored = store.change(
      addThread({
        id,
        path,
        ...(uri.scheme === 'file' ? {} : { document: uri.toString() }),
        home: store.homeOf(home),
        comments: [newComment(text)],
      }),
    );
    stored.catch(() => threads.release(thread, id));
    await keepOnFailure(thread, text, stored);
  }

  /** VS Code has emptied its box: what could not be stored is shown, so that it can be written again. @throws CommentError */
  async function keepOnFailure(thread: vscode.CommentThread, text: string, stored: Promise<void>): Promise<void> {
    try {
      await stored;
    } catch (error) {
      thread.comments = [...thread.comments, unstoredComment(text)];
      throw error;
    }
  }

  return [
    handle(commandIds.commentsAdd, add),
    handle(commandIds.commentsEdit, (target) => setMode(commentOf(target), vscode.CommentMode.Editing)),
    handle(commandIds.commentsSaveEdit, async (target) => {
      const comment = commentOf(target);
      const text = typeof comment.body === 'string' ? comment.body : comment.body.value;
      threads.endEdit(comment.threadId);
      if (text.trim() === '') await store.change(deleteComment(comment.threadId, comment.commentId));
      else await store.change(editComment(comment.threadId, comment.commentId, text.trim()));
      threads.redraw(comment.threadId);
    }),
    handle(commandIds.commentsCancelEdit, async (target) => {
      const { threadId } = commentOf(target);
      threads.endEdit(threadId);
      threads.redraw(threadId);
      await threads.update();
    }),
    handle(commandIds.commentsDelete, (target) => {
      const { commentId, threadId } = commentOf(target);
      return store.change(deleteComment(threadId, commentId));
    }),
    changeOfThread(commandIds.commentsDeleteThread, deleteThread),
    changeOfThread(commandIds.commentsAcceptFinding, (id) => addComment(id, newComment('Fix this.'))),
    changeOfThread(commandIds.commentsDismissFinding, deleteThread),
    handle(commandIds.commentsAnswerReviewer, async (reply) => {
      const id = threadIdOf(threads, reply);
      await add(reply);
      await sender.sendToReviewer(id);
    }),
    changeOfThread(commandIds.commentsResolve, (id) => setResolved(id, true)),
    changeOfThread(commandIds.commentsReopen, (id) => setResolved(id, false)),
    handle(commandIds.commentsSendAgain, async (target) => {
      const id = threadIdOf(threads, target);
      await store.change(makeDraft(id));
      await sender.attachOne(id);
    }),
    handle(commandIds.commentsSend, () => sender.attachAll()),
  ];

  function setMode(comment: ShownComment, mode: vscode.CommentMode): void {
    threads.beginEdit(comment.threadId);
    threads.redraw(comment.threadId, (shown) => (shown.commentId === comment.commentId ? mode : shown.mode));
  }
}

function isReply(value: unknown): value is vscode.CommentReply {
  return typeof value === 'object' && value !== null && 'thread' in value && 'text' in value;
}

function commentOf(target: unknown): ShownComment {
  if (!isShownComment(target)) throw new Error('Select a comment first.');
  return target;
}

function isThread(value: unknown): value is vscode.CommentThread {
  return typeof value === 'object' && value !== null && 'comments' in value && 'uri' in value;
}

/** @throws Error if it is not a thread of ours */
function threadIdOf(threads: ShownThreads, target: unknown): string {
  const thread = isReply(target) ? target.thread : target;
  const id = isThread(thread) ? threads.idOf(thread) : undefined;
  if (id === undefined) throw new Error('Select a comment thread first.');
  return id;
}
