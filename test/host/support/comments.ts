import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { CommentAttachment } from '../../../src/comments/common/commentChat';
import { DraftCount } from '../../../src/comments/common/draftCount';
import { startComments, type RunningCommentsFeature } from '../../../src/comments/vscode/commentsFeature';
import { commandIds } from '../../../src/manifest';
import { AdapterUnderTest } from './editorAdapter';

/** Comments in the real VS Code, with a chat that notes what it is given. Dispose it. */
export class CommentsUnderTest {
  readonly editor = new AdapterUnderTest();
  readonly attached: { readonly attachment: CommentAttachment; readonly paths: readonly string[] }[] = [];
  readonly draftCount = new DraftCount((error) => assert.fail(String(error)));
  readonly sent: { readonly attachment: CommentAttachment; readonly conversation: string }[] = [];
  readonly threads = new Set<vscode.CommentThread>();
  private readonly handlers = new Map<string, (...args: readonly unknown[]) => unknown>();
  private controller = vscode.comments.createCommentController('backline-test', 'Backline Test');
  private running: RunningCommentsFeature | undefined;

  private constructor(private readonly folder: string) {}

  static async start(): Promise<CommentsUnderTest> {
    const subject = new CommentsUnderTest(await mkdtemp(path.join(tmpdir(), 'comments-')));
    await subject.load();
    return subject;
  }

  get feature(): RunningCommentsFeature {
    assert.ok(this.running);
    return this.running;
  }

  /** The threads that VS Code shows, by their labels. */
  get labels(): (string | undefined)[] {
    return [...this.threads].map(({ label }) => label);
  }

  get only(): vscode.CommentThread {
    const [thread, ...others] = this.threads;
    assert.ok(thread && others.length === 0, `${this.threads.size} threads`);
    return thread;
  }

  /** As a reload of the window does. */
  async reload(): Promise<void> {
    this.stop();
    this.controller = vscode.comments.createCommentController('backline-test', 'Backline Test');
    await this.load();
  }

  /** What VS Code does when the user has written a comment and presses Ctrl+Enter. Lines are 0-based. */
  async comment(uri: vscode.Uri, first: number, last: number, text: string): Promise<void> {
    const thread = this.newThread(uri, new vscode.Range(first, 0, last, 0));
    await this.run(commandIds.commentsAdd, { thread, text });
  }

  async run(id: string, ...args: readonly unknown[]): Promise<void> {
    const handler = this.handlers.get(id);
    assert.ok(handler, id);
    await handler(...args);
  }

  /** A file stands where the folder should be. */
  async breakStorage(): Promise<void> {
    await writeFile(path.join(this.folder, 'comments'), '');
  }

  async mendStorage(): Promise<void> {
    await rm(path.join(this.folder, 'comments'));
  }

  async dispose(): Promise<void> {
    this.stop();
    this.editor.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async load(): Promise<void> {
    this.running = await startComments({
      clock: systemClock,
      log: nullLogger,
      notices: { show: ({ text }) => assert.fail(text) },
      commands: {
        setHandler: (id, handler) => {
          this.handlers.set(id, handler);
          return { dispose: () => void this.handlers.delete(id) };
        },
      },
      controller: { createCommentThread: (uri, range) => this.newThread(uri, range) },
      editor: this.editor.adapter,
      chat: {
        attach: (attachment, paths) => Promise.resolve(void this.attached.push({ attachment, paths })),
        send: (attachment, conversation) => Promise.resolve(void this.sent.push({ attachment, conversation })),
      },
      draftCount: this.draftCount,
      folder: path.join(this.folder, 'comments'),
    });
  }

  private stop(): void {
    this.running?.dispose();
    this.controller.dispose();
    this.threads.clear();
  }

  private newThread(uri: vscode.Uri, range: vscode.Range): vscode.CommentThread {
    const thread = this.controller.createCommentThread(uri, range, []);
    const dispose = thread.dispose.bind(thread);
    thread.dispose = () => {
      this.threads.delete(thread);
      dispose();
    };
    this.threads.add(thread);
    return thread;
  }
}
