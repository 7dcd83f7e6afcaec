import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { KeyedQueue } from '../../base/common/async';
import { BoundedMap } from '../../base/common/boundedMap';
import {
  EditorError,
  type FileBytes,
  type FileStat,
  type ReadBytesOptions,
  type ReadOptions,
  type TextFile,
} from '../common/editorPort';
import { unifyLineEndings } from '../common/text/lineEndings';
import { readChecked, readCheckedBytes } from '../node/checkedRead';
import { decodeText, defaultMaxBytes, diskVersion, statDisk } from '../node/diskReader';
import { FileProbe } from '../node/fileProbe';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import { decode, hasInvalidBytes, isExact } from './encodings';
import type { OpenDocuments } from './openDocuments';

interface Remembered {
  readonly file: CheckedPath;
  readonly probe: FileProbe;
  /** Of the file the path led to when it was checked; undefined when that is not known to last. */
  readonly identity: string | undefined;
  readonly text: string | undefined;
  readonly hasInvalidBytes?: boolean;
}

/** A file as it is on disk. */
export interface FileOnDisk {
  readonly file: TextFile;
  readonly bytes: Buffer;
}

const maxRememberedPaths = 500;
/** UTF-16 units of all remembered texts together. */
const maxRememberedText = 16 * 1024 * 1024;
/** A file written less than this ago may be written again without a change of its time stamps. */
const racyMs = 2000;

/**
 * Reads files as the user sees them: the buffer if there is one, else the disk. Peers ask for the same few files again
 * and again, so what the last check and read of a path gave is kept. It holds as long as the path resolves to the real
 * path that was checked and the file there is the same inode with the same times. The inode alone would not do: moving a
 * parent folder changes nothing about a file, and a link in the folder's place, or a hard link elsewhere, leads to the
 * same inode. A swap between the two looks gains nothing: the text given is the remembered one, which was inside.
 */
export class DocumentReader {
  private readonly remembered = new BoundedMap<string, Remembered>({
    maxEntries: maxRememberedPaths,
    maxWeight: maxRememberedText,
    weigh: ({ text }) => text?.length ?? 0,
  });
  /** What was checked under earlier rules is not to be remembered. */
  private generation = 0;

  constructor(
    private readonly guard: PathGuard,
    private readonly documents: OpenDocuments,
    private readonly queue: KeyedQueue,
  ) {}

  /** To be called when the boundary or the exclude list has changed. */
  forget(): void {
    this.generation++;
    this.remembered.clear();
  }

  async readText(path: string, options: ReadOptions = {}): Promise<TextFile> {
    const { file, text, identity, ...known } = await this.recall(path);
    if (!this.queue.isBusy(file.realPath)) {
      const buffer = await this.readBuffer(file, options);
      if (buffer) return buffer;
      if (text !== undefined && text.length <= (options.maxBytes ?? defaultMaxBytes)) {
        const invalid = known.hasInvalidBytes === true ? { hasInvalidBytes: true } : {};
        return { path: file.path, text, version: `disk:${identity}`, isDirty: false, ...invalid };
      }
    }
    return await this.queue.run(
      file.realPath,
      async () => (await this.readBuffer(file, options)) ?? (await this.readDisk(path, options)).file,
    );
  }

  /** What is on disk, whatever the buffer holds; for who has the turn of the file and so must not wait for it. */
  async readDisk(path: string, { maxBytes = defaultMaxBytes, signal }: ReadOptions = {}): Promise<FileOnDisk> {
    const { generation } = this;
    const { file, bytes, info } = await readChecked(this.guard, path, { maxBytes }, signal);
    checkSignal(signal);
    const text = unifyLineEndings(await decodeText(file.path, bytes, decode));
    const probe = new FileProbe(file.path);
    const invalid = hasInvalidBytes(text, bytes) ? { hasInvalidBytes: true } : {};
    const known = { file, probe, identity: identityOf(info), text: isSettled(info) ? text : undefined, ...invalid };
    if (generation === this.generation) this.remember(path, known);
    return { file: { path: file.path, text, version: diskVersion(info), isDirty: false, ...invalid }, bytes };
  }

  async readBytes(path: string, { signal, ...range }: ReadBytesOptions): Promise<FileBytes> {
    const { realPath } = await this.guard.check(path);
    return await this.queue.run(realPath, async () => {
      checkSignal(signal);
      return await readCheckedBytes(this.guard, path, range, signal);
    });
  }

  async stat(path: string): Promise<FileStat> {
    const file = await this.guard.check(path);
    const onDisk = await statDisk(file);
    const document = await this.documents.find(file);
    if (!document) return { ...onDisk, isDirty: false };
    return { ...onDisk, version: this.documents.versionOf(document), isDirty: document.isDirty };
  }

  private async readBuffer(file: CheckedPath, options: ReadOptions): Promise<TextFile | undefined> {
    checkSignal(options.signal);
    const document = await this.documents.find(file);
    if (!document) return undefined;
    const read = checkLength(this.documents.textFile(file.path, document), options.maxBytes ?? defaultMaxBytes);
    if (!read.text.includes('\ufffd') || !file.exists) return read;
    const onDisk = await readChecked(this.guard, file.path, {}, options.signal).catch(() => undefined);
    if (!onDisk || (await isExact(onDisk.bytes, document.encoding))) return read;
    return { ...read, hasInvalidBytes: true };
  }

  /** What is remembered of a path if it still holds, else a fresh check of it. */
  private async recall(path: string): Promise<Remembered> {
    const known = this.remembered.get(path);
    const now = await known?.probe.look();
    if (known && now?.realPath === known.file.realPath && identityOf(now.info) === known.identity) return known;
    this.remembered.delete(path);
    const file = await this.guard.check(path);
    const checked = { file, probe: new FileProbe(file.path), identity: undefined, text: undefined };
    return (await this.documents.find(file)) ? await this.rememberOpen(path, checked) : checked;
  }

  /** A file that is open is asked for often, and its text is at hand. */
  private async rememberOpen(path: string, checked: Remembered): Promise<Remembered> {
    const { generation } = this;
    const info = await stat(checked.file.realPath, { bigint: true }).catch(() => undefined);
    if (!info?.isFile()) return checked;
    const known = { ...checked, identity: identityOf(info) };
    if (generation === this.generation) this.remember(path, known);
    return known;
  }

  private remember(path: string, { text, ...known }: Remembered): void {
    // Where a relative path leads depends on more than the file it led to.
    if (!isAbsolute(path)) return;
    const fits = (text?.length ?? 0) <= maxRememberedText / 4;
    this.remembered.set(path, { ...known, text: fits ? text : undefined });
  }
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EditorError('cancelled', 'The request was given up.', { cause: signal.reason });
}

function checkLength(file: TextFile, maxLength: number): TextFile {
  if (file.text.length <= maxLength) return file;
  throw new EditorError('tooLarge', `${file.path} has ${file.text.length} characters; at most ${maxLength} are read.`);
}

function identityOf(info: BigIntStats): string {
  return diskVersion(info).slice('disk:'.length);
}

function isSettled({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  const now = Date.now();
  return now - Number(mtimeMs) > racyMs && now - Number(ctimeMs) > racyMs;
}
