import type { EditorPort } from '../../../editor/common/editorPort';
import type { DraftHandlers } from '../../common/draft/draftConnection';
import type { ThreadStore } from '../../common/draft/draftThreads';
import { createFileHandlers, type DraftPermissions } from './draftFiles';

export interface DraftHandlersPorts {
  readonly editor: EditorPort;
  readonly threads: ThreadStore;
  readonly permissions: DraftPermissions;
  /** The agent has called a method of threads: it is one of the document's reading. */
  readonly onAsksForThreads: () => void;
}

/**
 * Backline's end of the draft protocol. It answers all ten methods whoever asks: those of files from the editor, those of
 * threads from the store. So an agent of the original code (which asks for files) and one that took the document at its
 * word (which asks for threads) both find their client.
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

/** The methods of who keeps the threads. `onAsk` is called before each. */
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
