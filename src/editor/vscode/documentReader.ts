import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { TextDocument } from 'vscode';
import type { KeyedQueue } from '../../base/common/async';
import { BoundedMap } from '../../base/common/boundedMap';
import {
  EditorError,
  isEditorError,
  throwIfCancelled,
  type FileBytes,
  type FileStat,
  type ReadBytesOptions,
  type ReadTextOptions,
  type TextFile,
} from '../common/editorPort';
import { unifyLineEndings } from '../common/text/lineEndings';
import { readCheckedFile, readCheckedBytes } from '../node/checkedRead';
import { decodeText, defaultMaxBytes, diskVersion, statDisk } from '../node/diskReader';
import { FileProbe } from '../node/fileProbe';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import { decodeDocumentText, decodeFile, hasInvalidBytes, isDecodingLossless, replacementCharacter } from './encodings';
import { hasTextOf, ignoreIfNoTextFile, type TextFileWithBytes } from './documentReload';
import { maxOpenBytes, type DocumentsByPath } from './documentsByPath';
import { findUnsavedWork } from './unsavedWork';

interface CachedFile {
  readonly file: CheckedPath;
  readonly probe: FileProbe;
  /** The file on disk when the path was checked; undefined if the entry must not be reused. */
  readonly info: BigIntStats | undefined;
  /** What was read; undefined if only the path was checked. */
  readonly read?: TextFile;
}

interface DiskText extends TextFileWithBytes {
  readonly info: BigIntStats;
}

/** The comparison of an unedited document with its file. Valid until one of them changes. */
interface Comparison {
  /** The version of the document. */
  readonly documentVersion: number;
  readonly encoding: string;
  readonly info: BigIntStats;
  /** The text on disk, if the document has another. */
  readonly newer: TextFile | undefined;
}

const maxCachedPaths = 500;
/** Maximum total length of the cached texts, in UTF-16 units. */
const maxCachedText = 16 * 1024 * 1024;
/** Resolution of file timestamps. A file written more recently can change again without a new timestamp. */
const timestampResolutionMs = 2000;

/**
 * Reads files as the user sees them: the open buffer if it has unsaved changes or is current, otherwise the disk. Caches checks
 * and texts, because peers read the same files repeatedly. An entry is valid while `FileProbe` finds the checked real path, and
 * a file with the same inode and times. The inode alone is not enough: after a folder is moved, a link or hard link can lead to
 * the same inode.
 */
export class DocumentReader {
  private readonly cachedFiles = new BoundedMap<string, CachedFile>({
    maxEntries: maxCachedPaths,
    maxWeight: maxCachedText,
    weigh: ({ read }) => read?.text.length ?? 0,
  });
  /** Increases when the rules change, so that earlier checks are not cached. */
  private accessRulesVersion = 0;
  private readonly comparisons = new WeakMap<TextDocument, Comparison>();

  constructor(
    private readonly pathGuard: PathGuard,
    private readonly openDocuments: DocumentsByPath,
    private readonly fileQueue: KeyedQueue,
    /** Makes VS Code read a changed file again. Call it in the queue of the file. @throws EditorError if it cannot */
    private readonly updateBuffer: (file: CheckedPath, document: TextDocument) => Promise<void>,
  ) {}

  /** Call after the workspace folders or the exclude list have changed. */
  clearAccessCache(): void {
    this.accessRulesVersion++;
    this.cachedFiles.clear();
  }

  /** Returns the absolute path of a file that may be read. @throws EditorError like `PathGuard.check` */
  async resolve(path: string): Promise<string> {
    return ((await this.validCacheEntry(path))?.file ?? (await this.pathGuard.check(path))).path;
  }

  async readText(path: string, options: ReadTextOptions = {}): Promise<TextFile> {
    const { file, info, read } = await this.cachedFileOrCheck(path, options);
    if (!this.fileQueue.isBusy(file.realPath)) {
      const open = await this.readOpenFile(file, info, options, (task) => this.fileQueue.run(file.realPath, task));
      if (open) return open;
      if (read && read.text.length <= (options.maxBytes ?? defaultMaxBytes)) return read;
    }
    return await this.fileQueue.run(file.realPath, async () => {
      throwIfCancelled(options.signal);
      const open = await this.readOpenFile(file, undefined, options, (task) => task());
      return open ?? (await this.readDisk(path, options)).file;
    });
  }

  /** Reads from disk and ignores unsaved changes. Does not wait in the queue of the file. */
  async readDisk(path: string, { maxBytes = defaultMaxBytes, signal }: ReadTextOptions = {}): Promise<DiskText> {
    const { accessRulesVersion: rulesVersion } = this;
    const { file, bytes, info } = await readCheckedFile(this.pathGuard, path, { maxBytes }, signal);
    throwIfCancelled(signal);
    const text = unifyLineEndings(await decodeText(file.path, bytes, decodeFile));
    const probe = new FileProbe(file.path);
    const invalid = hasInvalidBytes(text, bytes) ? { hasInvalidBytes: true } : {};
    const read = { path: file.path, text, version: diskVersion(info), isDirty: false, ...invalid };
    const isReusable = hasReliableTimestamps(info) && text.length <= maxCachedText / 4;
    this.cacheFile({ file, probe, info, ...(isReusable ? { read } : {}) }, rulesVersion);
    return { file: read, bytes, info };
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
    const isDirty = document?.isDirty === true || (await findUnsavedWork(file)) !== undefined;
    return { ...onDisk, ...(document && { version: this.openDocuments.versionOf(document) }), isDirty };
  }

  /**
   * `info` is about the file on disk, if known. `runInQueue` runs a task in the queue of the file. Returns undefined if the file is
   * not open.
   */
  private async readOpenFile(
    file: CheckedPath,
    info: BigIntStats | undefined,
    options: ReadTextOptions,
    runInQueue: (task: () => Promise<void>) => Promise<void>,
  ): Promise<TextFile | undefined> {
    const document = await this.openDocuments.find(file);
    if (!document) return undefined;
    const { fromBuffer } = options;
    if (file.exists && !document.isDirty && fromBuffer !== 'asIs') {
      const newer = await this.readIfBufferIsOutdated(document, file, info, options);
      if (newer && fromBuffer === undefined) return checkLength(newer, options);
      // If it cannot be updated, an edit fails later, and says so.
      if (newer) await runInQueue(() => this.updateBuffer(file, document)).catch(() => undefined);
    }
    return await this.readBuffer(document, file, options);
  }

  private async readBuffer(document: TextDocument, file: CheckedPath, options: ReadTextOptions): Promise<TextFile> {
    const read = checkLength(this.openDocuments.toTextFile(file.path, document), options);
    if (!read.text.includes(replacementCharacter) || !file.exists) return read;
    const onDisk = await readCheckedFile(this.pathGuard, file.path, {}, options.signal).catch(() => undefined);
    if (!onDisk || (await isDecodingLossless(onDisk.bytes, document.encoding))) return read;
    return { ...read, hasInvalidBytes: true };
  }

  /**
   * Returns the file on disk if an unedited document has another text, because VS Code has not read the file again since it
   * changed. @throws EditorError, for example `tooLarge`
   */
  private async readIfBufferIsOutdated(
    document: TextDocument,
    file: CheckedPath,
    info: BigIntStats | undefined,
    options: ReadTextOptions,
  ): Promise<TextFile | undefined> {
    const known = this.comparisons.get(document);
    if (info && known && isForDocument(known, document) && isUnchanged(known.info, info)) return known.newer;
    const { maxBytes = defaultMaxBytes } = options;
    // The limit for the buffer is in UTF-16 units. In most encodings, a unit has at most four bytes.
    const limits = { maxBytes: Math.min(4 * maxBytes, maxOpenBytes), ...signalOf(options) };
    const onDisk = await this.readDisk(file.path, limits).catch((error: unknown) =>
      isEditorError(error) && error.code === 'io' ? undefined : ignoreIfNoTextFile(error),
    );
    if (!onDisk) return undefined;
    const { encoding, version: documentVersion } = document;
    const newer = (await hasTextOf(document, onDisk)) ? undefined : await decodeLike(document, onDisk);
    const isReusable = hasReliableTimestamps(onDisk.info) && (newer?.text.length ?? 0) <= maxCachedText / 4;
    if (isReusable) this.comparisons.set(document, { documentVersion, encoding, info: onDisk.info, newer });
    return document.isDirty ? undefined : newer;
  }

  /** Returns a valid cache entry, or checks the path again. */
  private async cachedFileOrCheck(path: string, options: ReadTextOptions): Promise<CachedFile> {
    const known = await this.validCacheEntry(path);
    if (known) return known;
    const { accessRulesVersion: rulesVersion } = this;
    const file = await this.pathGuard.check(path);
    throwIfCancelled(options.signal);
    const checked = { file, probe: new FileProbe(file.path), info: undefined };
    return (await this.openDocuments.find(file)) ? await this.cacheOpenFile(checked, rulesVersion) : checked;
  }

  private async validCacheEntry(path: string): Promise<CachedFile | undefined> {
    const key = this.pathGuard.absolutePathOf(path);
    if (key === undefined) return undefined;
    const known = this.cachedFiles.get(key);
    if (!known) return undefined;
    const now = await known.probe.probe();
    // The rules may have changed meanwhile.
    if (this.cachedFiles.get(key) !== known) return undefined;
    if (now?.realPath === known.file.realPath && isUnchanged(known.info, now.info)) return known;
    this.cachedFiles.delete(key);
    return undefined;
  }

  private async cacheOpenFile(checked: CachedFile, rulesVersion: number): Promise<CachedFile> {
    const info = await stat(checked.file.realPath, { bigint: true }).catch(() => undefined);
    if (!info?.isFile()) return checked;
    const known = { ...checked, info };
    this.cacheFile(known, rulesVersion);
    return known;
  }

  /** Does nothing if the rules have changed since the file was checked. */
  private cacheFile(known: CachedFile, rulesVersion: number): void {
    if (rulesVersion === this.accessRulesVersion) this.cachedFiles.set(known.file.path, known);
  }
}

function checkLength(file: TextFile, { maxBytes: maxLength = defaultMaxBytes }: ReadTextOptions): TextFile {
  if (file.text.length <= maxLength) return file;
  throw new EditorError('tooLarge', `${file.path} has ${file.text.length} characters; at most ${maxLength} are read.`);
}

function isForDocument({ documentVersion, encoding }: Comparison, document: TextDocument): boolean {
  return documentVersion === document.version && encoding === document.encoding;
}

/** Decodes a file with the encoding of its document. */
async function decodeLike(
  { encoding }: TextDocument,
  { bytes, file: { path, text: defaultText, version } }: TextFileWithBytes,
): Promise<TextFile> {
  const text = (await decodeDocumentText(bytes, encoding)) ?? defaultText;
  const isLossless = !text.includes(replacementCharacter) || (await isDecodingLossless(bytes, encoding));
  return { path, text, version, isDirty: false, ...(isLossless ? {} : { hasInvalidBytes: true }) };
}

function signalOf({ signal }: ReadTextOptions): Pick<ReadTextOptions, 'signal'> {
  return signal ? { signal } : {};
}

/** Compares the same properties as `diskVersion`. */
function isUnchanged(info: BigIntStats | undefined, now: BigIntStats): boolean {
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
