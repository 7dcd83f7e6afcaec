import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../src/base/common/log';
import type { MessageStream } from '../../../../src/wire/common/messageStream';
import { DraftConnection } from '../../../../src/acp/common/draft/draftConnection';
import { MemoryThreads, messageText } from '../../../../src/acp/common/draft/draftThreads';
import { createThreadMethodHandlers } from '../../../../src/acp/node/draft/draftHandlers';
import { answerPrompt } from '../../../../src/acp/demo/answer/answerPrompt';
import { DraftTurn } from './draftTurn';
import type { Turn } from '../../../../src/acp/demo/answer/turn';

/** An agent of the draft protocol as implemented: it keeps the threads and requests files from the client. */
export class DraftProtocolAgent {
  private readonly threads = new MemoryThreads({ now: () => Date.now(), createId: randomUUID });
  private readonly connection: DraftConnection;
  private readonly endController = new AbortController();

  /** `cwd` is the base folder of relative paths in prompts, as an absolute path. */
  constructor(
    private readonly stream: MessageStream,
    private readonly cwd: string,
  ) {
    const { threads } = this;
    this.connection = new DraftConnection({
      stream,
      clock: systemClock,
      log: nullLogger,
      handlers: {
        ...createThreadMethodHandlers(threads),
        sendMessage: async ({ threadId, message }) => {
          await threads.sendMessage(threadId, message);
          if (message.role === 'user') await answerPrompt(this.createTurn(threadId, messageText(message)));
          return null;
        },
      },
    });
  }

  async run(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.stream.onDidClose(() => resolve()));
    this.connection.start();
    await closed;
    this.endController.abort();
    this.connection.dispose();
  }

  private createTurn(threadId: string, text: string): Turn {
    const { connection, cwd, threads } = this;
    return new DraftTurn({
      text,
      cwd,
      signal: this.endController.signal,
      async say(words) {
        const chunk = { type: 'text' as const, chunk: words };
        await threads.streamMessageChunk(threadId, chunk);
        await connection.call('streamMessageChunk', { threadId, chunk });
      },
      async readFile(path) {
        const { content } = await connection.call('readTextFile', { threadId, path });
        threads.didReadFile(threadId, path, content);
        return content;
      },
    });
  }
}
