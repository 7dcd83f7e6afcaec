import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';

/**
 * Converts the user's index to an initial index for Backline, so that files with unchanged timestamps need not be read.
 * Leaves out special entries (submodules, conflicts, assumed unchanged, intent to add); those are then read like new
 * files. `prefix` is the folder relative to the root of the work tree: empty, or ending with `/`. Returns undefined for
 * unsupported index formats.
 */
export function createInitialIndex(file: Buffer, format: 'sha1' | 'sha256', prefix: string): IndexStart | undefined {
  const reader = new IndexReader(file, format === 'sha1' ? 20 : 32);
  return reader.convertToInitialIndex(Buffer.from(prefix), (bytes) => createHash(format).update(bytes).digest());
}

interface IndexStart {
  readonly file: Buffer;
  /** Whether the index lists all trees, so that they need not be written. */
  readonly hasTrees: boolean;
}

interface KeptEntries {
  /** The initial index in version 2 of the format. */
  readonly bytes: readonly Buffer[];
  readonly count: number;
}

const headerBytes = 12;
/** Size of the ten 32-bit numbers from `lstat` in an entry, in bytes. */
const statBytes = 40;
const modeAt = 24;
const gitlink = 0o160000;
/** Mask of all flags except the length of the name. An entry with one of them is special. */
const oddFlags = 0xf000;
const lengthMask = 0xfff;
/** Extensions that change the meaning of entries. An index with one of them is not supported. */
const unreadable = ['link', 'sdir'];

class IndexReader {
  private position = headerBytes;

  constructor(
    private readonly file: Buffer,
    private readonly hashBytes: number,
  ) {}

  convertToInitialIndex(prefix: Buffer, hash: (bytes: Buffer) => Buffer): IndexStart | undefined {
    const { file } = this;
    if (file.length < headerBytes + this.hashBytes || file.toString('latin1', 0, 4) !== 'DIRC') return undefined;
    const version = file.readUInt32BE(4);
    const count = file.readUInt32BE(8);
    if (version < 2 || version > 4) return undefined;
    try {
      const { bytes: kept, count: keptCount } =
        version === 4 ? this.convertShortenedNameEntries(count, prefix) : this.copyFullNameEntries(count, prefix);
      const extensions = this.readExtensions();
      if (unreadable.some((name) => extensions.has(name))) return undefined;
      const tree = extensions.get('TREE');
      const hasTrees = keptCount === count && prefix.length === 0 && tree !== undefined && isWholeTree(tree);
      const header = Buffer.from(file.subarray(0, headerBytes));
      header.writeUInt32BE(2, 4);
      header.writeUInt32BE(keptCount, 8);
      const body = Buffer.concat([header, ...kept, ...(hasTrees ? [extension('TREE', tree)] : [])]);
      return { file: Buffer.concat([body, hash(body)]), hasTrees };
    } catch (error) {
      // Reading past the end means that the index is incomplete.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * Reads entries of versions 2 and 3, which are padded with 1 to 8 NUL bytes to a multiple of 8. Copies many entries
   * at once, because a large index must not block the extension host.
   */
  private copyFullNameEntries(count: number, prefix: Buffer): KeptEntries {
    const { file, hashBytes } = this;
    const bytes: Buffer[] = [];
    let kept = 0;
    let runStart = this.position;
    for (let number = 0; number < count; number++) {
      const start = this.position;
      const flagsAt = start + statBytes + hashBytes;
      const flags = file.readUInt16BE(flagsAt);
      const nameAt = flagsAt + ((flags & 0x4000) === 0 ? 2 : 4);
      const short = flags & lengthMask;
      const end = short === lengthMask ? file.indexOf(0, nameAt) : nameAt + short;
      if (end === -1 || end > file.length) throw new RangeError('The index ends in a name.');
      this.position = start + (Math.floor((end - start) / 8) + 1) * 8;
      if (
        !this.isUnsupportedEntry(start, flags) &&
        this.isInFolder(prefix, nameAt, end) &&
        isUtf8Range(file, nameAt, end)
      ) {
        kept++;
        continue;
      }
      bytes.push(file.subarray(runStart, start));
      runStart = this.position;
    }
    bytes.push(file.subarray(runStart, this.position));
    return { bytes, count: kept };
  }

  private convertShortenedNameEntries(count: number, prefix: Buffer): KeptEntries {
    const { file, hashBytes } = this;
    const bytes: Buffer[] = [];
    let before: Buffer = Buffer.alloc(0);
    for (let number = 0; number < count; number++) {
      const start = this.position;
      const flagsAt = start + statBytes + hashBytes;
      const flags = file.readUInt16BE(flagsAt);
      const name = this.readShortenedName(flagsAt + ((flags & 0x4000) === 0 ? 2 : 4), before);
      before = name;
      const isBelow = name.subarray(0, prefix.length).equals(prefix);
      if (!this.isUnsupportedEntry(start, flags) && isBelow && isUtf8(name))
        bytes.push(entry(file.subarray(start, flagsAt), name));
    }
    return { bytes, count: bytes.length };
  }

  private isUnsupportedEntry(start: number, flags: number): boolean {
    return (flags & oddFlags) !== 0 || this.file.readUInt32BE(start + modeAt) === gitlink;
  }

  private isInFolder(prefix: Buffer, nameAt: number, end: number): boolean {
    if (prefix.length === 0) return true;
    if (end - nameAt < prefix.length) return false;
    return this.file.compare(prefix, 0, prefix.length, nameAt, nameAt + prefix.length) === 0;
  }

  /** Reads a name in version 4: how many bytes to remove from the end of the previous name, and the text to append. */
  private readShortenedName(nameAt: number, before: Buffer): Buffer {
    let at = nameAt;
    let byte = this.file.readUInt8(at++);
    let cut = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = this.file.readUInt8(at++);
      cut = (cut + 1) * 128 + (byte & 0x7f);
    }
    const end = this.file.indexOf(0, at);
    if (end === -1 || cut > before.length) throw new RangeError('The index ends in a name.');
    this.position = end + 1;
    return Buffer.concat([before.subarray(0, before.length - cut), this.file.subarray(at, end)]);
  }

  private readExtensions(): Map<string, Buffer> {
    const found = new Map<string, Buffer>();
    const end = this.file.length - this.hashBytes;
    while (this.position + 8 <= end) {
      const name = this.file.toString('latin1', this.position, this.position + 4);
      const size = this.file.readUInt32BE(this.position + 4);
      if (this.position + 8 + size > end) throw new RangeError('The index ends in an extension.');
      found.set(name, this.file.subarray(this.position + 8, this.position + 8 + size));
      this.position += 8 + size;
    }
    return found;
  }
}

/** Whether a range is valid UTF-8. Most names are ASCII, for which nothing is copied. */
function isUtf8Range(file: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((file[at] ?? 0) >= 0x80) return isUtf8(file.subarray(start, end));
  return true;
}

function entry(statAndObject: Buffer, name: Buffer): Buffer {
  const used = statAndObject.length + 2 + name.length;
  const bytes = Buffer.alloc((Math.floor(used / 8) + 1) * 8);
  statAndObject.copy(bytes);
  bytes.writeUInt16BE(Math.min(name.length, lengthMask), statAndObject.length);
  name.copy(bytes, statAndObject.length + 2);
  return bytes;
}

function extension(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, data]);
}

/** Whether all tree entries are valid. An invalid one has an entry count of -1. */
function isWholeTree(tree: Buffer): boolean {
  return tree.length > 0 && !tree.includes('\0-1 ', 0, 'latin1');
}
