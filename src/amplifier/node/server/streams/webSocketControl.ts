import type { RawData, WebSocket } from 'ws';
import type { Logger } from '../../../../base/common/log';
import { toApiFailure } from '../http/apiFailure';
import { parseJson } from '../http/httpBodies';
import { Control } from '../http/requestSchemas';
import type { ServedSession } from '../sessions/servedSession';
import type { ServerLimits } from '../serverLimits';

interface WebSocketControlOptions {
  readonly session: ServedSession;
  readonly socket: WebSocket;
  readonly log: Logger;
  readonly limits: Pick<ServerLimits, 'maxControlsAtOnce' | 'maxBadControls'>;
}

/** RFC 6455, section 7.4.1. */
const policyViolation = 1008;

/**
 * Executes a client's messages on its WebSocket. Processes a few concurrently, so that a denial or stop does not wait for
 * a slow prompt. Pauses reading at the limit, until responses are sent: a client that does not read slows down only itself.
 */
export class WebSocketControl {
  /** Messages that arrived together with the one after which reading was paused. */
  private readonly unread: RawData[] = [];
  private atWork = 0;
  private badInARow = 0;

  constructor(private readonly options: WebSocketControlOptions) {}

  start(): void {
    this.options.socket.on('message', (data) => {
      this.unread.push(data);
      this.work();
    });
  }

  private work(): void {
    const { limits, socket } = this.options;
    while (this.atWork < limits.maxControlsAtOnce) {
      const data = this.unread.shift();
      if (!data) {
        socket.resume();
        return;
      }
      this.atWork++;
      void this.handle(data).then(() => {
        this.atWork--;
        this.work();
      });
    }
    socket.pause();
  }

  /** Success shows in the events; failures are sent in the error format. Never rejects. */
  private async handle(data: RawData): Promise<void> {
    const { limits, log, socket } = this.options;
    if (socket.readyState !== socket.OPEN) return;
    try {
      await this.act(this.read(data));
    } catch (error) {
      const failure = toApiFailure(error);
      if (failure.httpStatus >= 500) log.error('A message on a WebSocket failed', error);
      const answered = this.answer(failure.body);
      if (this.badInARow >= limits.maxBadControls) socket.close(policyViolation, 'Too many invalid messages.');
      await answered;
    }
  }

  /** @throws ApiFailure 400 */
  private read(data: RawData): Control {
    this.badInARow++;
    const message = parseJson(textOf(data), Control);
    this.badInARow = 0;
    return message;
  }

  private async act(message: Control): Promise<void> {
    const { session } = this.options;
    switch (message.action) {
      case 'submit_prompt':
        await session.prompt(message);
        break;
      case 'submit_approval':
        await session.approve(message);
        break;
      case 'stop':
        await session.cancel();
    }
  }

  /** Resolves when the message was sent or has failed. */
  private answer(body: object): Promise<void> {
    return new Promise((resolve) => this.options.socket.send(JSON.stringify(body), () => resolve()));
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
