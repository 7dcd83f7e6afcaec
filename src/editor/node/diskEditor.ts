import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { KeyedQueue } from '../../base/common/async';
import { toDisposable, type Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import { timedRunner } from '../../base/node/timedRunner';
import {
  EditorError,
  type FileBytes,
  type FileDiagnostics,
  type FileStat,
  type ReadBytesOptions,
  type ReadOptions,
  type TextEdit,
  type TextFile,
  type WorkspaceFolder,
  type WriteOptions,
} from '../common/editorPort';
import type { ExcludeList } from '../common/excludeList';
import { unifyLineEndings, withLineEnding } from '../common/text/lineEndings';
import { applyTextEdits, checkNewText } from '../common/text/textEdits';
import { TimedGlobs } from '../common/timedGlobs';
import type { ChangeCheck, FilePlace, UncheckedEditor } from '../common/uncheckedEditor';
import { readChecked, readCheckedBytes } from './checkedRead';
import { createChecked, overwriteChecked } from './checkedWrite';
import { decodeText, diskVersion, notFound, statDisk } from './diskReader';
import { PathGuard } from './pathGuard';

const never: Event<void> = () => toDisposable(() => undefined);
const byteOrderMark = Buffer.from('\ufeff');
const maxGlobResults = 10_000;

/**
 * The editor of a program without an editor: files as they are on disk, behind the same boundary and exclude list. There are
 * no unsaved buffers, no problems and no selections, and nothing can be shown. Texts are UTF-8.
 */
export class DiskEditor implements UncheckedEditor {
  readonly folders: readonly WorkspaceFolder[];
  readonly onDidChangeFolders = never;
  readonly activeSelection = undefined;
  readonly selections = [];
  readonly visibleFiles = [];
  readonly onDidChangeSelection = never;
  readonly onDidChangeVisibleFiles = never;
  private readonly guard: PathGuard;
  private readonly queue = new KeyedQueue();

  /** `folders` are absolute. */
  constructor(
    folders: readonly string[],
    private readonly exclude: ExcludeList,
  ) {
    this.folders = folders.map((folder) => ({ name: path.basename(folder), path: folder }));
    this.guard = new PathGuard({
      folders: () => folders,
      exclude: () => exclude,
      isWindows: process.platform === 'win32',
    });
  }

  async resolve(requested: string): Promise<string> {
    return (await this.guard.check(requested)).path;
  }

  async locate(requested: string): Promise<FilePlace> {
    return await this.guard.checkWrite(requested);
  }

  async readText(requested: string, options: ReadOptions = {}): Promise<TextFile> {
    checkSignal(options.signal);
    return (await this.readFile(requested, options.maxBytes)).file;
  }

  async readBytes(requested: string, { signal, ...range }: ReadBytesOptions = {}): Promise<FileBytes> {
    checkSignal(signal);
    return await readCheckedBytes(this.guard, requested, range);
  }

  async stat(requested: string): Promise<FileStat> {
    return { ...(await statDisk(await this.guard.check(requested))), isDirty: false };
  }

  async glob(pattern: string, options: { maxResults?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    const { maxResults = maxGlobResults, signal } = options;
    const matches = new TimedGlobs(timedRunner(), { dot: true }).compile([pattern], () => undefined);
    const found: string[] = [];
    const walk = async (root: string, folder: string): Promise<void> => {
      checkSignal(signal);
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (found.length >= maxResults) return;
        const file = path.join(folder, entry.name);
        const below = path.relative(root, file);
        if (this.exclude.excludes(file, below)) continue;
        // Links are not followed: they may lead outside, or round in circles.
        if (entry.isDirectory()) await walk(root, file);
        else if (entry.isFile() && matches(below.split(path.sep).join('/'))) found.push(file);
      }
    };
    for (const folder of this.folders) await walk(folder.path, folder.path);
    return found.sort();
  }

  async editChecked(
    requested: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options: WriteOptions = {},
  ): Promise<TextFile> {
    return await this.change(requested, check, options, (before) => {
      if (!before) throw notFound(requested);
      return applyTextEdits(before.text, edit(before));
    });
  }

  async writeChecked(
    requested: string,
    text: string,
    check: ChangeCheck,
    options: WriteOptions = {},
  ): Promise<TextFile> {
    return await this.change(requested, check, options, () => text);
  }

  save(): Promise<void> {
    return Promise.resolve();
  }

  diagnostics(): Promise<FileDiagnostics[]> {
    return Promise.resolve([]);
  }

  open(target: string): Promise<void> {
    return Promise.reject(new EditorError('unsupportedUri', `${target} cannot be shown: there is no editor here.`));
  }

  showDiff(requested: string): Promise<Disposable> {
    return Promise.reject(
      new EditorError('unsupportedUri', `Changes of ${requested} cannot be shown: there is no editor.`),
    );
  }

  /** One change of a file at a time; what it has of byte order mark and line endings stays. */
  private async change(
    requested: string,
    check: ChangeCheck,
    { expectedVersion, signal }: WriteOptions,
    newText: (before: TextFile | undefined) => string,
  ): Promise<TextFile> {
    const { realPath } = await this.guard.check(requested);
    return await this.queue.run(realPath, async () => {
      checkSignal(signal);
      // Checked again when its turn comes: what ran before may have moved it.
      const checked = await this.guard.checkWrite(requested);
      const before = checked.exists ? await this.readFile(requested) : undefined;
      if (expectedVersion !== undefined && before?.file.version !== expectedVersion) {
        throw new EditorError('staleVersion', `${requested} has changed since it was read. Read it again.`);
      }
      const text = newText(before?.file);
      checkNewText(text);
      const ended = before ? withLineEnding(text, before.file.text.includes('\r\n') ? '\r\n' : '\n') : text;
      if (ended !== before?.file.text) {
        check({ ...checked, requested, before: before?.file.text, after: ended });
        const contents = Buffer.from(before?.hasMark === true ? `\ufeff${ended}` : ended);
        await (before ? overwriteChecked : createChecked)(this.guard, checked, contents);
      }
      return (await this.readFile(requested)).file;
    });
  }

  private async readFile(requested: string, maxBytes?: number): Promise<{ file: TextFile; hasMark: boolean }> {
    const range = maxBytes === undefined ? {} : { maxBytes };
    const { file, bytes, info } = await readChecked(this.guard, requested, range);
    const text = unifyLineEndings(await decodeText(file.path, bytes, decodeUtf8));
    const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return { file: { path: file.path, text, version: diskVersion(info), isDirty: false }, hasMark };
  }
}

function decodeUtf8(bytes: Uint8Array, file: string): Promise<string> {
  try {
    return Promise.resolve(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    return Promise.reject(new EditorError('notText', `${file} is not UTF-8. Read its bytes instead.`, { cause }));
  }
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EditorError('cancelled', 'The request was given up.', { cause: signal.reason });
}
