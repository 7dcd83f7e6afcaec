import { isRecord } from '../../base/common/isRecord';
import { parseJson } from '../../base/common/parseJson';
import { LineDecoder, type OverlongLine } from './lineDecoder';
import type { StreamNoise } from './messageStream';

/** The longest line that is read: agents send lines of half a megabyte, and files of 16 MiB as base64. */
const defaultMaxLineBytes = 32 * 1024 * 1024;

export type JsonLine =
  | { readonly message: Record<string, unknown>; readonly noise?: never }
  | { readonly noise: StreamNoise; readonly message?: never };

const excerptChars = 200;

/** Reads JSON objects from UTF-8 lines; anything else on a line is noise. Empty lines are nothing at all. */
export class JsonLineReader {
  private readonly lines: LineDecoder;

  constructor(maxLineBytes = defaultMaxLineBytes) {
    this.lines = new LineDecoder(maxLineBytes);
  }

  /** Keeps the chunk: the caller must not write to it again. */
  push(chunk: Uint8Array): void {
    this.lines.push(chunk);
  }

  end(): void {
    this.lines.end();
  }

  /** The next message or noise, or `undefined` when more bytes are needed. */
  read(): JsonLine | undefined {
    for (let line = this.lines.read(); line !== undefined; line = this.lines.read()) {
      if (typeof line !== 'string') return { noise: tooLong(line) };
      const message = parseObject(line);
      if (message) return { message };
      if (line.trim() !== '') return { noise: notJson(line) };
    }
    return undefined;
  }
}

/**
 * One line, its ending included. JSON escapes line endings inside strings, so there are no others.
 * @throws TypeError when the message cannot be written as JSON.
 */
export function encodeJsonLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  // Logs and banners are told apart without the cost of an exception.
  if (!/^\s*\{/.test(line)) return undefined;
  const value = parseJson(line);
  return isRecord(value) ? value : undefined;
}

function notJson(line: string): StreamNoise {
  return { kind: 'notJson', excerpt: line.slice(0, excerptChars), bytes: new TextEncoder().encode(line).length };
}

function tooLong({ excerpt, bytes }: OverlongLine): StreamNoise {
  return { kind: 'tooLong', excerpt, bytes };
}
