import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { KeyedQueue } from '../../base/common/async';
import { BoundedMap } from '../../base/common/boundedMap';
import {
  EditorError,
  throwIfCancelled,
  type FileBytes,
  type FileStat,
  type ReadBytesOptions,
  type ReadTextLimits,
  type TextFile,
} from '../common/editorPort';
import { unifyLineEndings } from '../common/text/lineEndings';
import { readCheckedFile, readCheckedBytes } from '../node/checkedRead';
import { decodeText, defaultMaxBytes, diskVersion, statDisk } from '../node/diskReader';
import { FileProbe } from '../node/fileProbe';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import { decodeFile, hasInvalidBytes, isDecodingLossless } from './encodings';
import type { DocumentsByPath } from './documentsByPath';

interface CachedFile {
  readonly file: CheckedPath;
  readonly probe: FileProbe;
  /** The file on disk when the path was checked; undefined if the entry must not be reused. */
  readonly info: BigIntStats | undefined;
  /** What was read; undefined if only the path was checked. */
  readonly read?: TextFile;
}

export interface TextFileWithBytes {
  readonly file: TextFile;
  readonly bytes: Buffer;
}

const maxCachedPaths = 500;
/** Maximum total length of the cached texts, in UTF-16 units. */
const maxCachedText = 16 * 1024 * 1024;
/** Resolution of file timestamps. A file written more recently can change again without a new timestamp. */
const timestampResolutionMs = 2000;

/**
 * Reads files as the user sees them: the open buffer, otherwise the disk. Caches checks and texts, because peers read the same
 * files repeatedly. An entry is valid while `FileProbe` finds the checked real path, and a file with the same inode and
 * times. The inode alone is not enough: after a folder is moved, a link or hard link can lead to the same inode.
 */
export class DocumentReader {
  private readonly cachedFiles = new BoundedMap<string, CachedFile>({
    maxEntries: maxCachedPaths,
    maxWeight: maxCachedText,
    weigh: ({ read }) => read?.text.length ?? 0,
  });
  /** Increases when the rules change, so that earlier checks are not cached. */
  private accessRulesVersion = 0;

  constructor(
    private readonly pathGuard: PathGuard,
    private readonly openDocuments: DocumentsByPath,
    private readonly fileQueue: KeyedQueue,
  ) {}

  /** Call after the workspace folders or the exclude list have changed. */
  clearAccessCache(): void {
    this.accessRulesVersion++;
    this.cachedFiles.clear();
  }

  async readText(path: string, options: ReadTextLimits = {}): Promise<TextFile> {
    const { file, read } = await this.cachedFileOrCheck(path, options);
    if (!this.fileQueue.isBusy(file.realPath)) {
      const buffer = await this.readBuffer(file, options);
      if (buffer) return buffer;
      if (read && read.text.length <= (options.maxBytes ?? defaultMaxBytes)) return read;
    }
    return await this.fileQueue.run(file.realPath, async () => {
      throwIfCancelled(options.signal);
      return (await this.readBuffer(file, options)) ?? (await this.readDisk(path, options)).file;
    });
  }

  /** Reads from disk and ignores unsaved changes. Does not wait in the queue of the file. */
  async readDisk(
    path: string,
    { maxBytes = defaultMaxBytes, signal }: ReadTextLimits = {},
  ): Promise<TextFileWithBytes> {
    const { accessRulesVersion: rulesVersion } = this;
    const { file, bytes, info } = await readCheckedFile(this.pathGuard, path, { maxBytes }, signal);
    throwIfCancelled(signal);
    const text = unifyLineEndings(await decodeText(file.path, bytes, decodeFile));
    const probe = new FileProbe(file);
    const invalid = hasInvalidBytes(text, bytes) ? { hasInvalidBytes: true } : {};
    const read = { path: file.path, text, version: diskVersion(info), isDirty: false, ...invalid };
    const isReusable = hasReliableTimestamps(info) && text.length <= maxCachedText / 4;
    if (rulesVersion === this.accessRulesVersion) {
      this.cacheFile(path, { file, probe, info, ...(isReusable ? { read } : {}) });
    }
    return { file: read, bytes };
  }

  async readBytes(path: string, { signal, ...range }: ReadBytesOptions): Promise<FileBytes> {
    const { realPath } = await this.pathGuard.check(path);
    return await this.fileQueue.run(realPath, async () => {
      throwIfCancelled(signal);
      return await readCheckedBytes(this.pathGuard, path, range, signal);
    });
  }

  async stat(path: string): Promise<FileStat> {
    const file = await this.pathGuard.check(path);
    const onDisk = await statDisk(file);
    const document = await this.openDocuments.find(file);
    if (!document) return { ...onDisk, isDirty: false };
    return { ...onDisk, version: this.openDocuments.versionOf(document), isDirty: document.isDirty };
  }

  private async readBuffer(file: CheckedPath, options: ReadTextLimits): Promise<TextFile | undefined> {
    const document = await this.openDocuments.find(file);
    if (!document) return undefined;
    const read = checkLength(this.openDocuments.toTextFile(file.path, document), options.maxBytes ?? defaultMaxBytes);
    if (!read.text.includes('\ufffd') || !file.exists) return read;
    const onDisk = await readCheckedFile(this.pathGuard, file.path, {}, options.signal).catch(() => undefined);
    if (!onDisk || (await isDecodingLossless(onDisk.bytes, document.encoding))) return read;
    return { ...read, hasInvalidBytes: true };
  }

  /** Returns a valid cache entry, or checks the path again. */
  private async cachedFileOrCheck(path: string, options: ReadTextLimits): Promise<CachedFile> {
    const known = this.cachedFiles.get(path);
    const now = await known?.probe.probe();
    if (known && now?.realPath === known.file.realPath && isUnchanged(known, now.info)) return known;
    this.cachedFiles.delete(path);
    const file = await this.pathGuard.check(path);
    // Not earlier: see `ReadTextLimits.signal`.
    throwIfCancelled(options.signal);
    const checked = { file, probe: new FileProbe(file), info: undefined };
    return (await this.openDocuments.find(file)) ? await this.cacheOpenFile(path, checked) : checked;
  }

  private async cacheOpenFile(path: string, checked: CachedFile): Promise<CachedFile> {
    const { accessRulesVersion: rulesVersion } = this;
    const info = await stat(checked.file.realPath, { bigint: true }).catch(() => undefined);
    if (!info?.isFile()) return checked;
    const known = { ...checked, info };
    if (rulesVersion === this.accessRulesVersion) this.cacheFile(path, known);
    return known;
  }

  private cacheFile(path: string, known: CachedFile): void {
    // A relative path can resolve to another file later.
    if (isAbsolute(path)) this.cachedFiles.set(path, known);
  }
}

function checkLength(file: TextFile, maxLength: number): TextFile {
  if (file.text.length <= maxLength) return file;
  throw new EditorError('tooLarge', `${file.path} has ${file.text.length} characters; at most ${maxLength} are read.`);
}

/** Compares the same properties as `diskVersion`. */
function isUnchanged({ info }: CachedFile, now: BigIntStats): boolean {
  return (
    info?.ino === now.ino &&
    info.dev === now.dev &&
    info.size === now.size &&
    info.mtimeNs === now.mtimeNs &&
    info.ctimeNs === now.ctimeNs
  );
}

function hasReliableTimestamps({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  const now = Date.now();
  return now - Number(mtimeMs) > timestampResolutionMs && now - Number(ctimeMs) > timestampResolutionMs;
}
