import { isRecord } from '../../base/common/isRecord';
import { parseJson } from '../../base/common/parseJson';
import { LineDecoder, type OverlongLine } from './lineDecoder';
import type { InvalidStreamData } from './messageStream';

/** Large enough for a file of 16 MiB as base64, which an agent may send in one line. */
const defaultMaxLineBytes = 32 * 1024 * 1024;

export type JsonLine =
  /** `batch`: set for the first message of a JSON-RPC batch; all messages of that batch. */
  | {
      readonly message: Record<string, unknown>;
      readonly batch?: readonly Record<string, unknown>[];
      readonly noise?: never;
    }
  | { readonly noise: InvalidStreamData; readonly message?: never };

const excerptChars = 200;
/** How many braces before a message are tried as its beginning. */
const maxTries = 20;

/**
 * Reads one JSON object, or a JSON-RPC batch, per line of UTF-8. Reports other lines as noise and skips empty lines. The
 * first message may follow a banner in the same line, which is reported as noise.
 */
export class JsonLineReader {
  private readonly lineDecoder: LineDecoder;
  /** Messages of a line that were not read yet, last one first. */
  private unreadMessages: Record<string, unknown>[] = [];
  private hasReadMessage = false;

  constructor(maxLineBytes = defaultMaxLineBytes) {
    this.lineDecoder = new LineDecoder(maxLineBytes);
  }

  /** Keeps a reference to the chunk, so the caller must not modify it. */
  addChunk(chunk: Uint8Array): void {
    this.lineDecoder.addChunk(chunk);
  }

  end(): void {
    this.lineDecoder.end();
  }

  /** Returns the next message or noise, or `undefined` if more bytes are needed. */
  read(): JsonLine | undefined {
    const next = this.unreadMessages.pop();
    if (next) return { message: next };
    const line = this.readLine();
    if (line?.message) this.hasReadMessage = true;
    return line;
  }

  private readLine(): JsonLine | undefined {
    for (let line = this.lineDecoder.read(); line !== undefined; line = this.lineDecoder.read()) {
      if (typeof line !== 'string') return { noise: tooLong(line) };
      const message = parseObject(line);
      if (message) return { message };
      const batch = parseBatch(line);
      const first = batch?.[0];
      if (first) {
        this.unreadMessages = batch.slice(1).reverse();
        return { message: first, batch };
      }
      const late = this.hasReadMessage ? undefined : messageAfterBanner(line);
      if (late) {
        this.hasReadMessage = true;
        this.unreadMessages = [late.message];
        return { noise: notJson(late.banner) };
      }
      if (line.trim() !== '') return { noise: notJson(line) };
    }
    return undefined;
  }
}

/**
 * Returns one line with its line ending. JSON escapes all other line endings. @throws TypeError if the message cannot
 * be serialized
 */
export function encodeJsonLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  // Skips logs and banners without the cost of an exception from the JSON parser.
  if (!/^\s*\{/.test(line)) return undefined;
  const value = parseJson(line);
  return isRecord(value) ? value : undefined;
}

/**
 * Splits a line into a banner without a line end and the message after it. A request does not count, because a log of
 * the messages that the peer has received looks the same.
 */
function messageAfterBanner(
  line: string,
): { readonly banner: string; readonly message: Record<string, unknown> } | undefined {
  const start = line.indexOf('"jsonrpc"');
  if (start < 0) return undefined;
  // The member can come after others, so the object may begin at any of the braces before it.
  for (let tries = 0, brace = line.indexOf('{'); brace >= 0 && brace < start; brace = line.indexOf('{', brace + 1)) {
    if (++tries > maxTries) return undefined;
    const message = parseObject(line.slice(brace));
    if (!message) continue;
    const isRequest = 'method' in message && 'id' in message;
    return message['jsonrpc'] === '2.0' && !isRequest ? { banner: line.slice(0, brace), message } : undefined;
  }
  return undefined;
}

/** An array of objects counts as a batch if one of them has a member `jsonrpc`, because logs can also be arrays. */
function parseBatch(line: string): Record<string, unknown>[] | undefined {
  if (!/^\s*\[\s*\{/.test(line)) return undefined;
  const value = parseJson(line);
  if (!Array.isArray(value)) return undefined;
  const messages = value.filter((item) => isRecord(item));
  return messages.length === value.length && messages.some((message) => 'jsonrpc' in message) ? messages : undefined;
}

function notJson(line: string): InvalidStreamData {
  return { kind: 'notJson', excerpt: line.slice(0, excerptChars), bytes: new TextEncoder().encode(line).length };
}

function tooLong({ excerpt, bytes }: OverlongLine): InvalidStreamData {
  return { kind: 'tooLong', excerpt, bytes };
}
