import { once } from 'node:events';
import { IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';
import * as z from 'zod';

const Message = z.object({
  id: z.number().optional(),
  event: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

/** A client of the WebSocket alternative that keeps all messages it gets. Close it. */
export class WebSocketClient {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  private readonly waiting = new Set<() => void>();

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url.replace('http', 'ws'), options);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => {
      this.texts.push(data.toString());
      for (const resume of this.waiting) resume();
    });
  }

  get messages(): z.infer<typeof Message>[] {
    return this.texts.map((text) => Message.parse(JSON.parse(text)));
  }

  /** The first message that fits, as it came. The test's own time limit ends it. */
  async next(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.texts.find((text) => pattern.test(text));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  close(): void {
    this.socket.terminate();
  }
}

/** What a server says that does not open the WebSocket. */
export async function refusedUpgrade(
  url: string,
  headers: OutgoingHttpHeaders = {},
): Promise<{ readonly status: number | undefined; readonly type: string | undefined; readonly json: unknown }> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  const answered = z.tuple([z.unknown(), z.instanceof(IncomingMessage)]);
  const [, response] = answered.parse(await once(socket, 'unexpected-response'));
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += z.string().parse(chunk);
  const json: unknown = JSON.parse(text);
  return { status: response.statusCode, type: response.headers['content-type'], json };
}
