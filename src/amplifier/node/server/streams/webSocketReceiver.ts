import type { RawData, WebSocket } from 'ws';
import type { Logger } from '../../../../base/common/log';
import { toApiFailure } from '../http/apiFailure';
import { parseJsonBody } from '../http/httpBodies';
import { WebSocketCommand } from '../http/requestSchemas';
import type { ServedSession } from '../sessions/servedSession';
import type { ServerLimits } from '../serverLimits';

interface WebSocketReceiverDeps {
  readonly session: ServedSession;
  readonly socket: WebSocket;
  readonly log: Logger;
  readonly limits: Pick<ServerLimits, 'maxConcurrentMessages' | 'maxInvalidMessages'>;
}

/** Close code for a policy violation; see RFC 6455, section 7.4.1. */
const policyViolation = 1008;

/**
 * Executes a client's WebSocket messages. Some of them run concurrently, so that a denial or stop does not wait for a
 * slow prompt. Reading pauses at the limit until responses are sent, so a client that does not read only slows itself
 * down.
 */
export class WebSocketReceiver {
  /** Messages that arrived together with the message after which reading was paused. */
  private readonly messageQueue: RawData[] = [];
  private activeCount = 0;
  private consecutiveInvalidCount = 0;

  constructor(private readonly deps: WebSocketReceiverDeps) {}

  start(): void {
    this.deps.socket.on('message', (data) => {
      this.messageQueue.push(data);
      this.processQueue();
    });
  }

  private processQueue(): void {
    const { limits, socket } = this.deps;
    while (this.activeCount < limits.maxConcurrentMessages) {
      const data = this.messageQueue.shift();
      if (!data) {
        socket.resume();
        return;
      }
      this.activeCount++;
      void this.handleMessage(data).then(() => {
        this.activeCount--;
        this.processQueue();
      });
    }
    socket.pause();
  }

  /** Executes a message. If it succeeds, events show that. If it fails, sends the error. Never rejects. */
  private async handleMessage(data: RawData): Promise<void> {
    const { limits, log, socket } = this.deps;
    if (socket.readyState !== socket.OPEN) return;
    try {
      await this.executeMessage(this.parseMessage(data));
    } catch (error) {
      const failure = toApiFailure(error);
      if (failure.httpStatus >= 500) log.error('A message on a WebSocket failed', error);
      const answered = this.sendError(failure.body);
      if (this.consecutiveInvalidCount >= limits.maxInvalidMessages)
        socket.close(policyViolation, 'Too many invalid messages.');
      await answered;
    }
  }

  /** Parses a message. @throws ApiFailure 400 */
  private parseMessage(data: RawData): WebSocketCommand {
    this.consecutiveInvalidCount++;
    const message = parseJsonBody(textOf(data), WebSocketCommand);
    this.consecutiveInvalidCount = 0;
    return message;
  }

  private async executeMessage(message: WebSocketCommand): Promise<void> {
    const { session } = this.deps;
    switch (message.action) {
      case 'submit_prompt':
        await session.prompt(message);
        break;
      case 'submit_approval':
        await session.answerApproval(message);
        break;
      case 'stop':
        await session.cancel();
    }
  }

  /** Sends an error. Resolves when the message was sent or sending has failed. */
  private sendError(body: object): Promise<void> {
    return new Promise((resolve) => this.deps.socket.send(JSON.stringify(body), () => resolve()));
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
