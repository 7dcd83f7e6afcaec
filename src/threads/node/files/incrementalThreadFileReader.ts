import { toDisposable, type Disposable } from '../../../base/common/disposable';
import { isRecord } from '../../common/model/jsonValues';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';
import { findMessages, findMessagesAgain, type MessageOffsets } from './messageOffsets';
import { parseThreadJson, readThreadFile, type ThreadFileContent } from './threadFile';

/** Minimum size of a file that is kept in memory, in bytes. Smaller files are parsed quickly. */
const minKeptBytes = 256 * 1024;
/** Maximum size of the files that are kept in memory, in bytes. Larger than `maxThreadBytes`, so the last one always fits. */
const maxKeptBytes = 64 * 1024 * 1024;
const comparedBytes = 64 * 1024;

interface ParsedFile {
  readonly content: Buffer;
  readonly json: Readonly<Record<string, unknown>>;
  readonly messages: readonly unknown[];
  /** Undefined until the file has changed once. */
  readonly offsets: MessageOffsets | undefined;
}

interface KeptFile {
  users: number;
  wasRead: boolean;
  parsed: ParsedFile | undefined;
}

/**
 * Reads thread files. Keeps the file of an open thread in memory. After a change, parses only the part from the first
 * changed message on, because Amp writes a running thread again after each step. Earlier messages are the same
 * objects as in the last read.
 */
export class IncrementalThreadFileReader {
  /** The kept files by path, the least recently parsed first. */
  private readonly keptFileByPath = new Map<string, KeptFile>();

  /** Keeps a file in memory from its second read on. The caller disposes the result. */
  keep(path: string): Disposable {
    const file = this.keptFileByPath.get(path) ?? { users: 0, wasRead: false, parsed: undefined };
    this.keptFileByPath.set(path, file);
    file.users++;
    return toDisposable(() => {
      if (--file.users === 0) this.keptFileByPath.delete(path);
    });
  }

  /** Like `readThreadFile`. @throws ThreadError */
  read(path: string, stats?: Pick<FileVersionKey, 'sizeBytes' | 'mtimeMs'>): ThreadFileContent {
    return readThreadFile(path, stats, (content) => this.parse(path, content));
  }

  private parse(path: string, content: Buffer): unknown {
    const file = this.keptFileByPath.get(path);
    if (!file?.wasRead) {
      if (file) file.wasRead = true;
      return parseThreadJson(content.toString());
    }
    if (file.parsed?.content.equals(content) === true) return file.parsed.json;
    const again = file.parsed && parseAgain(file.parsed, content);
    if (again) file.parsed = again;
    else {
      const json = parseThreadJson(content.toString());
      file.parsed = parsedFile(content, json, undefined);
      if (!file.parsed) return json;
    }
    this.keptFileByPath.delete(path);
    this.keptFileByPath.set(path, file);
    this.limitMemory();
    return file.parsed.json;
  }

  private limitMemory(): void {
    const kept = [...this.keptFileByPath.values()].filter(({ parsed }) => parsed);
    let bytes = kept.reduce((sum, { parsed }) => sum + (parsed?.content.length ?? 0), 0);
    for (const file of kept) {
      if (bytes <= maxKeptBytes) return;
      bytes -= file.parsed?.content.length ?? 0;
      file.parsed = undefined;
    }
  }
}

function parsedFile(content: Buffer, json: unknown, offsets: MessageOffsets | undefined): ParsedFile | undefined {
  if (content.length < minKeptBytes || !isRecord(json)) return undefined;
  const { messages } = json;
  return Array.isArray(messages) ? { content, json, messages, offsets } : undefined;
}

/**
 * Parses only the changed part. Undefined if the whole file must be parsed, for example to report an error in it.
 */
function parseAgain(before: ParsedFile, content: Buffer): ParsedFile | undefined {
  const offsets = before.offsets ?? findMessages(before.content);
  if (offsets?.starts.length !== before.messages.length) return undefined;
  const sameBytes = commonStart(before.content, content);
  const index = offsets.starts.findLastIndex((start) => start <= sameBytes);
  if (index < 1) return undefined;
  const head = content.toString('utf8', 0, offsets.listStart);
  try {
    const json = parseThreadJson(head + content.toString('utf8', offsets.starts[index]));
    const parsed = parsedFile(content, json, findMessagesAgain(content, offsets, index));
    // A comma without a following message is not valid JSON.
    if (!parsed?.offsets || parsed.messages.length === 0) return undefined;
    const messages = [...before.messages.slice(0, index), ...parsed.messages];
    return { ...parsed, json: { ...parsed.json, messages }, messages };
  } catch {
    return undefined;
  }
}

/** Returns the number of equal bytes at the start of both buffers. */
function commonStart(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.subarray(at, at + comparedBytes).equals(other.subarray(at, at + comparedBytes)))
    at += comparedBytes;
  while (at < length && one[at] === other[at]) at++;
  return Math.min(at, length);
}
