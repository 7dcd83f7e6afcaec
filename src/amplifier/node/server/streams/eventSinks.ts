import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EventBatch } from './eventBatch';
import type { EventSink } from './sessionEventBroadcaster';

const tcpKeepAliveMs = 30_000;

/** Writes Server-Sent Events. The constructor opens the stream. */
export class SseSink implements EventSink {
  private readonly socket: Socket;

  constructor(private readonly response: ServerResponse) {
    this.socket = response.req.socket;
    this.socket.setKeepAlive(true, tcpKeepAliveMs);
    // The stream ends when its connection is closed, so it does not need chunked encoding.
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  write(batch: EventBatch, done: () => void): void {
    this.output.write(batch.serverSentEvents, (error) => {
      if (!error) done();
    });
  }

  keepAlive(): void {
    this.output.write(': keep-alive\n\n');
  }

  end(): void {
    this.response.end();
  }

  terminate(): void {
    this.socket.destroy();
  }

  /** Where to write: the socket, which is faster; or the response, if earlier pipelined ones are not sent yet. */
  private get output(): Writable {
    return this.response.socket === null ? this.response : this.socket;
  }
}

/** Writes each event as a WebSocket message. Disconnects a subscriber that does not answer pings. */
export class WebSocketSink implements EventSink {
  private hasAnsweredPing = true;

  constructor(private readonly socket: WebSocket) {
    socket.on('pong', () => {
      this.hasAnsweredPing = true;
    });
  }

  write({ webSocketMessages }: EventBatch, done: () => void): void {
    const last = webSocketMessages.length - 1;
    const onLast = (error: Error | undefined): void => {
      if (!error) done();
    };
    for (const [index, message] of webSocketMessages.entries())
      this.socket.send(message, index === last ? onLast : undefined);
  }

  keepAlive(): void {
    if (!this.hasAnsweredPing) {
      this.terminate();
      return;
    }
    this.hasAnsweredPing = false;
    this.socket.ping();
  }

  end(): void {
    this.socket.close(1000, 'The session has ended.');
  }

  terminate(): void {
    this.socket.terminate();
  }
}
