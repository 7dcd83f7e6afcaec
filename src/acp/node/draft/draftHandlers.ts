import type { EditorPort } from '../../../editor/common/editorPort';
import type { DraftHandlers } from '../../common/draft/draftConnection';
import type { ThreadStore } from '../../common/draft/draftThreads';
import { createFileHandlers, type DraftPermissions } from './draftFiles';

export interface DraftHandlersPorts {
  readonly editor: EditorPort;
  readonly threads: ThreadStore;
  readonly permissions: DraftPermissions;
  /** Called when the agent calls a thread method, as the document describes. */
  readonly onAsksForThreads: () => void;
}

/**
 * Handles all ten methods of the draft protocol: files from the editor, threads from `threads`. This serves agents of
 * the original code, which request files, and agents of the document, which request threads.
 */
export function createDraftHandlers(ports: DraftHandlersPorts): Required<DraftHandlers> {
  const { editor, onAsksForThreads, permissions, threads } = ports;
  const didReadFile: ThreadStore['didReadFile'] = (...read) => threads.didReadFile(...read);
  return {
    ...createFileHandlers(editor, didReadFile, permissions),
    ...draftThreadHandlers(threads, onAsksForThreads),
    async streamMessageChunk({ threadId, chunk }) {
      await threads.streamMessageChunk(threadId, chunk);
      return null;
    },
  };
}

type ThreadHandlerMethod = 'getThreads' | 'createThread' | 'openThread' | 'getThreadEntries' | 'sendMessage';

/** The thread methods of the side that keeps the threads. `onAsk` is called before each. */
export function draftThreadHandlers(
  threads: ThreadStore,
  onAsk: () => void = () => undefined,
): Required<Pick<DraftHandlers, ThreadHandlerMethod>> {
  return {
    async getThreads() {
      onAsk();
      return { threads: await threads.getThreads() };
    },
    async createThread() {
      onAsk();
      return { threadId: await threads.createThread() };
    },
    async openThread({ threadId }) {
      onAsk();
      await threads.openThread(threadId);
      return null;
    },
    async getThreadEntries({ threadId }) {
      onAsk();
      return { entries: await threads.getThreadEntries(threadId) };
    },
    async sendMessage({ threadId, message }) {
      onAsk();
      await threads.sendMessage(threadId, message);
      return null;
    },
  };
}
