import { isRecord } from '../../base/common/isRecord';
import { parseJson } from '../../base/common/parseJson';
import { LineDecoder, type OverlongLine } from './lineDecoder';
import type { InvalidStreamData } from './messageStream';

/** Large enough for a file of 16 MiB as base64, which an agent may send in one line. */
const defaultMaxLineBytes = 32 * 1024 * 1024;

export type JsonLine =
  | { readonly message: Record<string, unknown>; readonly noise?: never }
  | { readonly noise: InvalidStreamData; readonly message?: never };

const excerptChars = 200;

/** Reads one JSON object per line of UTF-8. Reports other lines as noise and skips empty lines. */
export class JsonLineReader {
  private readonly lineDecoder: LineDecoder;

  constructor(maxLineBytes = defaultMaxLineBytes) {
    this.lineDecoder = new LineDecoder(maxLineBytes);
  }

  /** Keeps a reference to the chunk, so the caller must not modify it. */
  push(chunk: Uint8Array): void {
    this.lineDecoder.push(chunk);
  }

  end(): void {
    this.lineDecoder.end();
  }

  /** Returns the next message or noise, or `undefined` if more bytes are needed. */
  read(): JsonLine | undefined {
    for (let line = this.lineDecoder.read(); line !== undefined; line = this.lineDecoder.read()) {
      if (typeof line !== 'string') return { noise: tooLong(line) };
      const message = parseObject(line);
      if (message) return { message };
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

function notJson(line: string): InvalidStreamData {
  return { kind: 'notJson', excerpt: line.slice(0, excerptChars), bytes: new TextEncoder().encode(line).length };
}

function tooLong({ excerpt, bytes }: OverlongLine): InvalidStreamData {
  return { kind: 'tooLong', excerpt, bytes };
}
