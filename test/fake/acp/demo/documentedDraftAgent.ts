import { KeyedQueue } from '../../../../src/base/common/async';
import { messageOf } from '../../../../src/base/common/errors';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { MessageStream } from '../../../../src/wire/common/messageStream';
import { DraftConnection } from '../../../../src/acp/common/draft/draftConnection';
import { answerPrompt } from '../../../../src/acp/demo/answer/answerPrompt';
import { diskFileHandlers, readFileInFolder } from './servedFiles';
import { DraftTurn } from './draftTurn';
import { writeToStderr } from './stdioStream';

/** An agent of the draft protocol as documented: the client stores the threads, and the agent serves files. */
export class DocumentedDraftAgent {
  private readonly connection: DraftConnection;
  private readonly turnQueue = new KeyedQueue();
  private readonly endController = new AbortController();

  /** `cwd` is an absolute path. Files outside this folder are not served. */
  constructor(
    private readonly stream: MessageStream,
    private readonly cwd: string,
  ) {
    this.connection = new DraftConnection({
      stream,
      clock: systemClock,
      log: nullLogger,
      handlers: {
        ...diskFileHandlers(cwd),
        streamMessageChunk: ({ threadId, chunk }) => {
          void this.turnQueue.run(threadId, () => this.answerChunk(threadId, chunk.chunk));
          return Promise.resolve(null);
        },
      },
    });
  }

  async run(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.stream.onDidClose(() => resolve()));
    this.connection.start();
    // Listing the threads first also shows the client which variant this agent uses.
    await this.connection.call('getThreads', null).catch(writeToStderr);
    await closed;
    this.endController.abort();
    this.connection.dispose();
  }

  private async answerChunk(threadId: string, text: string): Promise<void> {
    const { connection, cwd } = this;
    const answerParts: string[] = [];
    try {
      await connection.call('openThread', { threadId });
      const { entries } = await connection.call('getThreadEntries', { threadId });
      const asked = entries.filter((entry) => entry.type === 'message' && entry.role === 'user').length;
      if (asked > 1) answerParts.push(`(Your message number ${asked} in this thread.)\n\n`);
      await answerPrompt(
        new DraftTurn({
          text,
          cwd,
          signal: this.endController.signal,
          say: (words) => Promise.resolve(void answerParts.push(words)),
          readFile: async (path) => (await readFileInFolder(cwd, path)).text.toString('utf8'),
        }),
      );
    } catch (error) {
      answerParts.push(`My answer failed: ${messageOf(error)}\n`);
    }
    const message = { role: 'assistant' as const, chunks: [{ type: 'text' as const, chunk: answerParts.join('') }] };
    await connection.call('sendMessage', { threadId, message }).catch(writeToStderr);
  }
}
