import type { EditorPort } from '../../../editor/common/editorPort';
import type { DraftHandlers } from '../../common/draft/draftConnection';
import type { ThreadApi } from '../../common/draft/draftThreads';
import { createFileHandlers, type DraftFilePermissions } from './draftFiles';

export interface DraftHandlersDeps {
  readonly editor: EditorPort;
  readonly threads: ThreadApi;
  readonly permissions: DraftFilePermissions;
  /** Called when the agent calls a thread method, which means that it expects Backline to store the threads. */
  readonly onThreadMethodCalled: () => void;
}

/**
 * Creates handlers for all methods of the draft protocol, both for agents that store the threads and for those that expect
 * Backline to store them.
 */
export function createDraftHandlers(deps: DraftHandlersDeps): Required<DraftHandlers> {
  const { editor, onThreadMethodCalled, permissions, threads } = deps;
  const didReadFile: ThreadApi['didReadFile'] = (...read) => threads.didReadFile(...read);
  return {
    ...createFileHandlers(editor, didReadFile, permissions),
    ...createThreadMethodHandlers(threads, onThreadMethodCalled),
    async streamMessageChunk({ threadId, chunk }) {
      await threads.streamMessageChunk(threadId, chunk);
      return null;
    },
  };
}

type ThreadHandlerMethod = 'getThreads' | 'createThread' | 'openThread' | 'getThreadEntries' | 'sendMessage';

/**
 * Creates the handlers for thread requests from the other side. They are needed on the side that stores the threads.
 * `onCalled` is called before each request is handled.
 */
export function createThreadMethodHandlers(
  threads: ThreadApi,
  onCalled: () => void = () => undefined,
): Required<Pick<DraftHandlers, ThreadHandlerMethod>> {
  return {
    async getThreads() {
      onCalled();
      return { threads: await threads.getThreads() };
    },
    async createThread() {
      onCalled();
      return { threadId: await threads.createThread() };
    },
    async openThread({ threadId }) {
      onCalled();
      await threads.openThread(threadId);
      return null;
    },
    async getThreadEntries({ threadId }) {
      onCalled();
      return { entries: await threads.getThreadEntries(threadId) };
    },
    async sendMessage({ threadId, message }) {
      onCalled();
      await threads.sendMessage(threadId, message);
      return null;
    },
  };
}
