import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { RunningAgent } from '../connection/agentConnection';

interface ServedAgentDeps {
  readonly startAgent: () => Promise<RunningAgent>;
  readonly log: Logger;
  /** Maximum number of bytes of the agent's output that wait for the client. */
  readonly maxWaitingBytes: number;
}

/**
 * The agent of one connection. Forwards messages unchanged between a client and a process, which starts with the first message
 * and ends with the connection.
 */
export class ServedAgent {
  /**
   * Resolves when the process has ended. If none was started, resolves when the client has disconnected. Never rejects.
   */
  readonly closed: Promise<void>;
  private readonly clientWriter: WritableStreamDefaultWriter<AnyMessage>;
  private readonly clientReader: ReadableStreamDefaultReader<AnyMessage>;
  private waitingBytes = 0;

  constructor(
    { readable, writable }: Stream,
    private readonly deps: ServedAgentDeps,
  ) {
    this.clientReader = readable.getReader();
    this.clientWriter = writable.getWriter();
    // The reader reports errors to `serve`.
    this.clientReader.closed.catch(() => undefined);
    this.clientWriter.closed.catch(() => undefined);
    this.closed = this.serve();
  }

  private async serve(): Promise<void> {
    const { log } = this.deps;
    try {
      const first = await this.readFromClient();
      if (!first) return;
      const agent = await this.start(first);
      if (agent) await this.passMessages(agent, first);
    } catch (error) {
      log.warn(`A connection ended: ${messageOf(error)}`);
    } finally {
      await Promise.allSettled([this.clientReader.cancel(), this.clientWriter.close()]);
    }
  }

  private async start(firstMessage: AnyMessage): Promise<RunningAgent | undefined> {
    try {
      return await this.deps.startAgent();
    } catch (error) {
      this.deps.log.error('The agent cannot be started', error);
      if ('id' in firstMessage) {
        const message = 'The agent cannot be started. See the log of its server.';
        const answer = {
          jsonrpc: '2.0' as const,
          id: firstMessage.id ?? null,
          error: { code: rpcErrorCode.internalError, message },
        };
        await this.clientWriter.write(answer);
      }
      return undefined;
    }
  }

  private async passMessages(agent: RunningAgent, first: AnyMessage): Promise<void> {
    const { log } = this.deps;
    // The last message can arrive after the process has ended.
    const ended = new Promise<void>((resolve) => void agent.stream.onDidClose(() => resolve()));
    let giveUp = (): void => undefined;
    const tooSlow = new Promise<void>((resolve) => (giveUp = resolve));
    agent.stream.onMessage((message) => {
      if (!isRpcMessage(message)) return;
      void this.writeToClient(message).then((isWritten) => {
        if (!isWritten) giveUp();
      });
    });
    agent.stream.onNoise(({ bytes, kind }) => log.warn(`The agent wrote ${bytes} bytes that are no message (${kind})`));
    try {
      await Promise.race([ended, tooSlow, this.passInput(agent, first)]);
    } finally {
      await agent.stop();
      const words = agent.stderrTail().trim();
      if (words !== '') log.debug(`The agent wrote to stderr: ${words}`);
    }
  }

  /** Forwards the client's messages. Resolves when the client has disconnected. */
  private async passInput(agent: RunningAgent, first: AnyMessage): Promise<void> {
    for (let message: AnyMessage | undefined = first; message; message = await this.readFromClient()) {
      await agent.stream.send(message);
    }
  }

  private async readFromClient(): Promise<AnyMessage | undefined> {
    // The connection ends the stream with an error when the client disconnects.
    return (await this.clientReader.read().catch(() => undefined))?.value;
  }

  /** Resolves to false if the client does not read or has disconnected. */
  private async writeToClient(message: AnyMessage): Promise<boolean> {
    const bytes = Buffer.byteLength(JSON.stringify(message));
    if (this.waitingBytes + bytes > this.deps.maxWaitingBytes) return false;
    this.waitingBytes += bytes;
    try {
      await this.clientWriter.write(message);
      return true;
    } catch {
      return false;
    } finally {
      this.waitingBytes -= bytes;
    }
  }
}

/** Whether the object is a JSON-RPC message. An agent can write any object. */
function isRpcMessage(message: object): message is AnyMessage {
  return 'method' in message || 'id' in message;
}
