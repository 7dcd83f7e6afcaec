import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type * as z from 'zod';
import { BodyError, readBody } from '../../../../wire/node/readBody';
import { ApiFailure, documentedFailure, validationFailure } from './apiFailure';

interface BodyLimits {
  readonly maxBytes: number;
  readonly held: BodyMemoryBudget;
}

/** Reads and validates the JSON body of a request. @throws ApiFailure 400, 413 if the body is too large, 429 */
export async function readJsonBody<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  { maxBytes, held }: BodyLimits,
): Promise<z.output<Schema>> {
  return await held.runWithReservation(async (hold) =>
    parseJsonBody((await readRequest(request, maxBytes, hold)).toString('utf8'), schema),
  );
}

/** Parses and validates a JSON body. @throws ApiFailure 400 */
export function parseJsonBody<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw documentedFailure('INVALID_REQUEST', 'body: Send JSON.', { field: 'body' });
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw validationFailure(parsed.error);
  return parsed.data;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers });
  const { req: request, shouldKeepAlive } = response;
  if (shouldKeepAlive || request.complete || request.destroyed) {
    response.end(bytes);
    return;
  }
  // The connection closes after this response. A client that is still sending would not receive it, so the rest of the
  // request is read first. `requestTimeoutMs` limits the time for that.
  response.write(bytes);
  request.once('close', () => response.end());
  request.resume();
}

export function sendFailure(response: ServerResponse, { httpStatus, body, headers }: ApiFailure): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, httpStatus, body, headers);
}

async function readRequest(request: IncomingMessage, maxBytes: number, hold: (bytes: number) => void): Promise<Buffer> {
  try {
    return await readBody(request, maxBytes, hold);
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    if (error instanceof BodyError && error.reason === 'tooLarge') {
      throw new ApiFailure(413, 'INVALID_REQUEST', error.message, { field: 'body' });
    }
    // The client has disconnected, which is not an error of the server.
    throw documentedFailure('INVALID_REQUEST', 'The body was not received.');
  }
}

/** Limits the memory for request bodies that are being read, for all clients together. */
export class BodyMemoryBudget {
  private reservedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get usedBytes(): number {
    return this.reservedBytes;
  }

  /** Runs `read`, which reserves memory by calling `hold`. Releases the memory at the end. */
  async runWithReservation<T>(read: (hold: (bytes: number) => void) => Promise<T>): Promise<T> {
    let own = 0;
    let isOver = false;
    const hold = (bytes: number): void => {
      // Data that arrives after the end is ignored.
      if (isOver) return;
      if (this.reservedBytes + bytes > this.maxBytes) {
        throw documentedFailure('RATE_LIMITED', 'The server is receiving too much data. Try again in a moment.');
      }
      this.reservedBytes += bytes;
      own += bytes;
    };
    try {
      return await read(hold);
    } finally {
      isOver = true;
      this.reservedBytes -= own;
    }
  }
}
