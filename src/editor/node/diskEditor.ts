import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { KeyedQueue } from '../../base/common/async';
import { toDisposable, type Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import {
  EditorError,
  throwIfCancelled,
  type EditFilesOptions,
  type EditorPort,
  type FileBytes,
  type FileDiagnostics,
  type FileEdits,
  type FileStat,
  type ReadBytesOptions,
  type ReadTextOptions,
  type TextEdit,
  type TextFile,
  type WorkspaceFolder,
  type WriteOptions,
} from '../common/editorPort';
import type { ExcludeList } from '../common/excludeList';
import { GlobMatcher } from '../common/glob/globMatcher';
import { createChangeCheck } from '../common/protection/changeCheck';
import type { ProtectedFiles } from '../common/protection/protectedFiles';
import type { Protection, TextBeforeAndAfter } from '../common/protection/protection';
import { convertLineEndings, hasMixedLineEndings, keepLineEndings, unifyLineEndings } from '../common/text/lineEndings';
import { applyTextEdits, requireValidNewText } from '../common/text/textEdits';
import { readCheckedFile, readCheckedBytes } from './checkedRead';
import { createCheckedFile, overwriteCheckedFile } from './checkedWrite';
import { decodeText, diskVersion, notFoundError, statDisk } from './diskReader';
import { PathGuard } from './pathGuard';

const noEvent: Event<void> = () => toDisposable(() => undefined);
const byteOrderMark = Buffer.from('\ufeff');
const maxGlobResults = 10_000;

/**
 * Edits files on disk for a program without an editor, with the same boundary and exclude list as in VS Code. Files
 * must be UTF-8. There are no unsaved buffers, diagnostics or selections, and nothing can be shown.
 */
export class DiskEditor implements EditorPort {
  readonly folders: readonly WorkspaceFolder[];
  readonly onDidChangeFolders = noEvent;
  readonly activeSelection = undefined;
  readonly selections = [];
  readonly visibleFiles = [];
  readonly onDidChangeSelection = noEvent;
  readonly onDidChangeVisibleFiles = noEvent;
  private readonly pathGuard: PathGuard;
  private readonly fileQueue = new KeyedQueue();

  /** `folders` are absolute paths. `protectedFiles` is called for each write. */
  constructor(
    folders: readonly string[],
    private readonly excludeList: ExcludeList,
    private readonly protectedFiles: () => ProtectedFiles,
  ) {
    this.folders = folders.map((folder) => ({ name: path.basename(folder), path: folder }));
    this.pathGuard = new PathGuard({
      folders: () => folders,
      exclude: () => excludeList,
      isWindows: process.platform === 'win32',
    });
  }

  async resolve(requested: string): Promise<string> {
    return (await this.pathGuard.check(requested)).path;
  }

  async realPathOf(requested: string): Promise<string> {
    return (await this.pathGuard.check(requested)).canonicalPath;
  }

  async protectionOf(requested: string, change?: TextBeforeAndAfter): Promise<Protection | undefined> {
    const { names } = await this.pathGuard.checkForWrite(requested);
    return this.protectedFiles().protectionOf(names, change);
  }

  async readText(requested: string, options: ReadTextOptions = {}): Promise<TextFile> {
    throwIfCancelled(options.signal);
    return (await this.readFile(requested, options.maxBytes)).file;
  }

  async readBytes(requested: string, { signal, ...range }: ReadBytesOptions = {}): Promise<FileBytes> {
    throwIfCancelled(signal);
    return await readCheckedBytes(this.pathGuard, requested, range);
  }

  async stat(requested: string): Promise<FileStat> {
    return { ...(await statDisk(await this.pathGuard.check(requested))), isDirty: false };
  }

  async glob(pattern: string, options: { maxResults?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    const { maxResults = maxGlobResults, signal } = options;
    const matcher = new GlobMatcher(pattern, { canNegate: true });
    const found: string[] = [];
    const walk = async (root: string, folder: string): Promise<void> => {
      throwIfCancelled(signal);
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (found.length >= maxResults) return;
        const file = path.join(folder, entry.name);
        const below = path.relative(root, file);
        if (this.excludeList.excludes(file, below)) continue;
        // Links are not followed, because they may lead outside or form cycles.
        if (entry.isDirectory()) await walk(root, file);
        else if (entry.isFile() && matcher.isMatch(below.split(path.sep).join('/'))) found.push(file);
      }
    };
    for (const folder of this.folders) await walk(folder.path, folder.path);
    return found.sort();
  }

  async editText(
    requested: string,
    edit: (file: TextFile) => readonly TextEdit[],
    options: WriteOptions = {},
  ): Promise<TextFile> {
    return await this.changeFile(requested, options, (before) => {
      if (!before) throw notFoundError(requested);
      return applyTextEdits(before.text, edit(before));
    });
  }

  /** Checks all files before it writes the first. */
  async editFiles(changes: readonly FileEdits[], options: EditFilesOptions = {}): Promise<TextFile[]> {
    const check = createChangeCheck(this.protectedFiles, options);
    for (const { edits, expectedVersion, path: requested } of changes) {
      const before = await this.readText(requested);
      if (before.version !== expectedVersion) throw staleError(requested);
      check({
        ...(await this.pathGuard.checkForWrite(requested)),
        requestedPath: requested,
        before: before.text,
        after: applyTextEdits(before.text, edits),
      });
    }
    throwIfCancelled(options.signal);
    const { protectedFiles = 'refuse' } = options;
    const written: TextFile[] = [];
    for (const { edits, expectedVersion, path: requested } of changes)
      written.push(await this.editText(requested, () => edits, { expectedVersion, protectedFiles }));
    return written;
  }

  async writeText(requested: string, text: string, options: WriteOptions = {}): Promise<TextFile> {
    return await this.changeFile(requested, options, () => text);
  }

  async requireWritable(requested: string, text: string): Promise<void> {
    requireValidNewText(text);
    const checked = await this.pathGuard.checkForWrite(requested);
    if (checked.exists) await this.readFile(requested);
  }

  save(): Promise<void> {
    return Promise.resolve();
  }

  diagnostics(): Promise<FileDiagnostics[]> {
    return Promise.resolve([]);
  }

  open(target: string): Promise<void> {
    return Promise.reject(new EditorError('unsupportedUri', `${target} cannot be shown: there is no editor.`));
  }

  showDiff(requested: string): Promise<Disposable> {
    return Promise.reject(
      new EditorError('unsupportedUri', `Changes of ${requested} cannot be shown: there is no editor.`),
    );
  }

  /** Runs changes of one file in sequence. Preserves its byte order mark and line endings. */
  private async changeFile(
    requested: string,
    options: WriteOptions,
    newText: (before: TextFile | undefined) => string,
  ): Promise<TextFile> {
    const { expectedVersion, signal } = options;
    const check = createChangeCheck(this.protectedFiles, options);
    const { realPath } = await this.pathGuard.check(requested);
    return await this.fileQueue.run(realPath, async () => {
      throwIfCancelled(signal);
      // An earlier change may have moved the file.
      const checked = await this.pathGuard.checkForWrite(requested);
      const before = checked.exists ? await this.readFile(requested) : undefined;
      if (expectedVersion !== undefined && before?.file.version !== expectedVersion) {
        throw staleError(requested);
      }
      const text = newText(before?.file);
      requireValidNewText(text);
      const ended = before ? convertLineEndings(text, before.file.text.includes('\r\n') ? '\r\n' : '\n') : text;
      if (ended !== before?.file.text) {
        check({ ...checked, requestedPath: requested, before: before?.file.text, after: ended });
        const written =
          before && hasMixedLineEndings(before.textOnDisk) ? keepLineEndings(before.textOnDisk, ended) : ended;
        const contents = Buffer.from(before?.hasMark === true ? `\ufeff${written}` : written);
        await (before ? overwriteCheckedFile : createCheckedFile)(this.pathGuard, checked, contents);
      }
      return (await this.readFile(requested)).file;
    });
  }

  /** `textOnDisk` has the line endings of the file, which can be mixed. */
  private async readFile(
    requested: string,
    maxBytes?: number,
  ): Promise<{ file: TextFile; textOnDisk: string; hasMark: boolean }> {
    const range = maxBytes === undefined ? {} : { maxBytes };
    const { file, bytes, info } = await readCheckedFile(this.pathGuard, requested, range);
    const textOnDisk = await decodeText(file.path, bytes, decodeUtf8);
    const text = unifyLineEndings(textOnDisk);
    const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return { file: { path: file.path, text, version: diskVersion(info), isDirty: false }, textOnDisk, hasMark };
  }
}

function decodeUtf8(bytes: Uint8Array, file: string): Promise<string> {
  try {
    return Promise.resolve(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    return Promise.reject(new EditorError('notText', `${file} is not UTF-8. Read its bytes instead.`, { cause }));
  }
}

function staleError(requested: string): EditorError {
  return new EditorError('staleVersion', `${requested} has changed since it was read. Read it again.`);
}
