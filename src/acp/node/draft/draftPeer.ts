import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { RequestOptions } from '../../../wire/common/jsonRpcPeer';
import type { MessageStream } from '../../../wire/common/messageStream';
import { DraftConnection } from '../../common/draft/draftConnection';
import type { DraftMethod, DraftParams, DraftResult } from '../../common/draft/draftSchema';
import type { ThreadStore } from '../../common/draft/draftThreads';
import { createFileHandlers, type DraftPermissions } from './draftFiles';

interface DraftPeerOptions {
  /** Not owned. */
  readonly stream: MessageStream;
  readonly editor: EditorPort;
  readonly threads: ThreadStore;
  readonly permissions: DraftPermissions;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Backline's end of the draft protocol. It answers all ten methods whoever asks: those of files from the editor, those of
 * threads from the store. So an agent of the original code (which asks for files) and one that took the document at its
 * word (which asks for threads) both find their client.
 */
export class DraftPeer implements Disposable {
  private readonly store = new DisposableStore();
  private readonly connection: DraftConnection;
  private readonly askedForThreads: Emitter<void>;

  constructor({ stream, editor, threads, permissions, clock, log }: DraftPeerOptions) {
    this.askedForThreads = this.store.add(
      new Emitter((error) => log.error('A listener of a draft connection failed', error)),
    );
    const asked = (): void => this.askedForThreads.fire();
    this.connection = this.store.add(
      new DraftConnection({
        stream,
        clock,
        log,
        handlers: {
          ...createFileHandlers(
            editor,
            (threadId, path, content) => threads.didReadFile(threadId, path, content),
            permissions,
          ),
          async getThreads() {
            asked();
            return { threads: await threads.getThreads() };
          },
          async createThread() {
            asked();
            return { threadId: await threads.createThread() };
          },
          async openThread({ threadId }) {
            asked();
            await threads.openThread(threadId);
            return null;
          },
          async getThreadEntries({ threadId }) {
            asked();
            return { entries: await threads.getThreadEntries(threadId) };
          },
          async sendMessage({ threadId, message }) {
            asked();
            await threads.sendMessage(threadId, message);
            return null;
          },
          async streamMessageChunk({ threadId, chunk }) {
            await threads.streamMessageChunk(threadId, chunk);
            return null;
          },
        },
      }),
    );
  }

  /** The agent has called a method of threads: it is one of the document's reading. */
  get onDidAskForThreads(): Event<void> {
    return this.askedForThreads.event;
  }

  start(): void {
    this.connection.start();
  }

  /** @throws RpcError, TimeoutError, ConnectionClosedError */
  call<Method extends DraftMethod>(
    method: Method,
    params: DraftParams<Method>,
    options?: RequestOptions,
  ): Promise<DraftResult<Method>> {
    return this.connection.call(method, params, options);
  }

  /** Rejects what is pending and aborts what is being answered. */
  dispose(): void {
    this.store.dispose();
  }
}
