import * as vscode from 'vscode';
import { KeyedQueue, pause, withDeadline, type Clock } from '../../base/common/async';
import { messageOf, TimeoutError } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import {
  EditorError,
  isEditorError,
  throwIfCancelled,
  type FileVersion,
  type TextEdit,
  type TextFile,
  type WriteOptions,
} from '../common/editorPort';
import type { ChangeCheck } from '../common/protection/changeCheck';
import { convertLineEndings, type LineEnding } from '../common/text/lineEndings';
import {
  applyOffsetEdits,
  requireValidNewText,
  computeMinimalEdit,
  toOffsetEdits,
  type OffsetEdit,
} from '../common/text/textEdits';
import { LineIndex } from '../common/text/textOffsets';
import { createCheckedFile } from '../node/checkedWrite';
import { notFoundError, statDisk } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import {
  canReload,
  hasTextOf,
  ignoreIfNoTextFile,
  reloadDocument,
  utf8NameFor,
  waitForReload,
  type TextFileWithBytes,
} from './documentReload';
import {
  checkCanOpen,
  checkWritable,
  editRejectedError,
  lossyEditError,
  outdatedBufferError,
  requireLossless,
  staleVersionError,
} from './editableFiles';
import { encodingForNewFile, requireEncodable, startsWithMark } from './encodings';
import { readMixedLineEndings, restoreLineEndings } from './mixedLineEndings';
import { applyWorkspaceEdit, type DocumentEdits } from './documentEdits';
import { requireNoUnsavedWork, saveUnsavedWork } from './unsavedWork';
import type { DocumentsByPath } from './documentsByPath';

/** Creates edits for the current text. Called again if the user edits the file in the meantime. */
type MakeEdits = (file: TextFile, lineEnding: LineEnding) => OffsetEdit[];

interface PreparedDocument {
  readonly document: vscode.TextDocument;
  readonly expectedVersion: FileVersion | undefined;
}

/** Longer than VS Code's own limits for formatters and other save participants. */
const vscodeTimeoutMs = 30_000;
const timeoutPerFileMs = 250;
/** How long to wait for VS Code to notice that an open file was written. */
const settleMs = 300;
/** An edit is recomputed if the user types before it is applied. */
const maxAttempts = 4;

/**
 * Edits files through VS Code documents: keeps undo, encoding and line endings. Edits of the same file run in sequence.
 */
export class DocumentWriter {
  /** Keeps requests in order while their paths are resolved. Keyed by the requested path. */
  private readonly arrivalQueue = new KeyedQueue();
  /** The latest pending save of each document. Such a document is dirty, but not because of user changes. */
  private readonly pendingSaves = new Map<vscode.TextDocument, Promise<void>>();
  /** File modification time after our last save, in milliseconds since the epoch. */
  private readonly lastSavedAt = new WeakMap<vscode.TextDocument, number>();

  constructor(
    private readonly pathGuard: PathGuard,
    private readonly openDocuments: DocumentsByPath,
    private readonly fileQueue: KeyedQueue,
    private readonly isTrusted: () => boolean,
    /** Reads the file on disk. Ignores unsaved changes and does not wait in the queue of the file. */
    private readonly readDisk: (path: string) => Promise<TextFileWithBytes>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Resolves when all earlier edits of the path are in the queue of its file. */
  async waitUntilEarlierEditsAreQueued(path: string): Promise<void> {
    await this.arrivalQueue.whenIdle(path);
  }

  async editText(
    path: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options: WriteOptions = {},
  ): Promise<TextFile> {
    return await this.runInTurn(path, async (file) => {
      if (!file.exists && !(await this.openDocuments.find(file))) throw notFoundError(path);
      return await this.changeDocument(file, options, (before) => {
        const edits = edit(before);
        for (const { newText } of edits) requireValidNewText(newText);
        const changes = edits.length === 0 ? [] : toOffsetEdits(new LineIndex(before.text), edits);
        const after = applyOffsetEdits(before.text, changes);
        if (after !== before.text) check({ ...file, requestedPath: path, before: before.text, after });
        return changes;
      });
    });
  }

  async writeText(path: string, text: string, check: ChangeCheck, options: WriteOptions = {}): Promise<TextFile> {
    requireValidNewText(text);
    const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
    return await this.runInTurn(path, async (file) => {
      if (!file.exists && !(await this.openDocuments.find(file))) {
        check({ ...file, requestedPath: path, before: undefined, after: whole });
        return await this.createFile(file, whole, options);
      }
      return await this.changeDocument(file, options, (before, lineEnding) => {
        const after = convertLineEndings(whole, lineEnding);
        const edit = computeMinimalEdit(before.text, after);
        if (edit) check({ ...file, requestedPath: path, before: before.text, after });
        return edit ? [edit] : [];
      });
    });
  }

  /** Throws what `writeText` would throw, except for the errors of its check. Opens no document, and changes nothing. */
  async requireWritable(path: string, text: string): Promise<void> {
    requireValidNewText(text);
    await this.runInTurn(path, async (file) => {
      await requireNoUnsavedWork(file);
      const document = await this.openDocuments.find(file);
      if (!document?.isDirty) await checkWritable(file);
      if (file.exists) await checkCanOpen(file);
      const onDisk = file.exists ? await this.readDisk(file.path) : undefined;
      if (document && onDisk) await requireLossless(file, document, onDisk);
      else if (onDisk?.file.hasInvalidBytes === true) throw lossyEditError(file, encodingForNewFile(uriOf(file)));
      const before = document?.getText() ?? onDisk?.file.text ?? '';
      const lineEnding: LineEnding = before.includes('\r\n') ? '\r\n' : '\n';
      const edit = computeMinimalEdit(before, convertLineEndings(text, lineEnding));
      // A byte order mark means UTF-8 or UTF-16.
      if (!edit || (!document && onDisk && startsWithMark(onDisk.bytes))) return;
      await requireEncodable(edit.newText, document?.encoding ?? encodingForNewFile(uriOf(file)), file.path);
    });
  }

  async save(path: string): Promise<void> {
    await this.runInTurn(path, async (file) => {
      await saveUnsavedWork(file);
      const document = await this.openDocuments.find(file);
      if (document) await this.saveDocument(file, document);
    });
  }

  /** Runs a task after earlier edits of the path, and before later ones. @throws EditorError for a path that may not be edited */
  async runInTurn<T>(path: string, task: (file: CheckedPath) => Promise<T>): Promise<T> {
    if (!this.isTrusted()) {
      throw new EditorError('untrusted', `${path} cannot be edited because the user does not trust the workspace.`);
    }
    const { turn } = await this.arrivalQueue.run(path, async () => {
      const { realPath } = await this.pathGuard.check(path);
      const inTurn = async (): Promise<T> => {
        // An earlier edit may have moved the file.
        const file = await this.pathGuard.checkForWrite(path);
        if (file.realPath !== realPath) throw editRejectedError(file);
        return await task(file);
      };
      // Returned in an object, so that later requests only wait until this edit is queued and not until it ends.
      return { turn: this.fileQueue.run(realPath, inTurn) };
    });
    return await turn;
  }

  /** Opens a document for an edit, with its version for `options.expectedVersion`. @throws EditorError */
  async prepareDocument(file: CheckedPath, options: WriteOptions): Promise<PreparedDocument> {
    await requireNoUnsavedWork(file);
    const opened = await this.openDocuments.find(file);
    if (opened) await this.waitUntilWritingSettles(file, opened);
    const document = opened ?? (await this.openDocument(file));
    await this.requireBufferMatchesDisk(file, document);
    const expectedVersion = await this.resolveExpectedVersion(file, document, options.expectedVersion);
    if (options.save ?? !this.hasUserChanges(document)) await checkWritable(file);
    return { document, expectedVersion };
  }

  private async changeDocument(file: CheckedPath, options: WriteOptions, makeEdits: MakeEdits): Promise<TextFile> {
    const { document, expectedVersion: expected } = await this.prepareDocument(file, options);
    for (let attempt = 1; ; attempt++) {
      throwIfCancelled(options.signal);
      const before = this.openDocuments.toTextFile(file.path, document);
      if (expected !== undefined && before.version !== expected) throw staleVersionError(file);
      const hasUserChanges = this.hasUserChanges(document);
      if (hasUserChanges && options.ifDirty === 'refuse') {
        throw new EditorError('dirty', `${file.path} has unsaved changes in the editor. Ask the user to save it.`);
      }
      const edits = makeEdits(before, document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
      await requireEncodable(edits.map(({ newText }) => newText).join(''), document.encoding, file.path);
      const isCurrent = this.openDocuments.versionOf(document) === before.version;
      if (edits.length === 0 || (isCurrent && (await this.applyEdits([{ document, edits }])))) {
        if (options.save ?? !hasUserChanges) await this.saveDocument(file, document, options.awaitSaveUntil);
        return this.openDocuments.toTextFile(file.path, document);
      }
      const hasChanged = this.openDocuments.versionOf(document) !== before.version;
      if (!hasChanged || attempt === maxAttempts) throw editRejectedError(file);
    }
  }

  /**
   * If a file is written while VS Code reads it, VS Code can have the new text with the old modification time and then
   * refuse to save. VS Code reloads an unedited file after a file event, so this waits for the event.
   */
  private async waitUntilWritingSettles(file: CheckedPath, document: vscode.TextDocument): Promise<void> {
    if (document.isDirty || !file.exists) return;
    const { modifiedAt } = await statDisk(file);
    const leftMs = modifiedAt + settleMs - this.clock.now();
    if (leftMs <= 0 || leftMs > settleMs || modifiedAt === this.lastSavedAt.get(document)) return;
    await pause(this.clock, leftMs);
  }

  /**
   * Waits for VS Code to reload a buffer that differs from the checked file on disk, or makes it reload the buffer. A buffer that
   * differs could not be saved, or may contain another file.
   * @throws EditorError `staleVersion`; `notText` if saving would change bytes outside the edit
   */
  async requireBufferMatchesDisk(file: CheckedPath, document: vscode.TextDocument): Promise<void> {
    const read = async (): Promise<TextFileWithBytes | undefined> =>
      file.exists ? await this.readDisk(file.path).catch(ignoreIfNoTextFile) : undefined;
    let onDisk = await read();
    if (onDisk && (await isBehind(document, onDisk))) {
      await waitForReload(document, this.clock);
      onDisk = await read();
    }
    if (!onDisk) return;
    await requireLossless(file, document, onDisk);
    if (await isBehind(document, onDisk)) await this.reload(file, document, onDisk);
  }

  /** Makes VS Code read a changed file again. @throws EditorError, also if the path now leads to a file that may not be seen */
  private async reload(file: CheckedPath, document: vscode.TextDocument, before: TextFileWithBytes): Promise<void> {
    if (!canReload(document)) throw outdatedBufferError(file);
    try {
      await this.withTimeout('reading the file again', () => reloadDocument(document, before.bytes));
    } catch (error) {
      if (isEditorError(error)) throw error;
      // The user may have typed, or the file may have changed again. This is checked below.
      this.log.warn(`VS Code could not read ${file.path} again: ${messageOf(error)}`);
    }
    const onDisk = await this.readDisk(file.path);
    await requireLossless(file, document, onDisk);
    if (document.encoding !== utf8NameFor(onDisk.bytes)) {
      const message = `${file.path} changed while VS Code read it again, so VS Code saves it with the encoding ${document.encoding} now. The user can change that with “Change File Encoding”.`;
      throw new EditorError('editRejected', message);
    }
    if ((await this.openDocuments.find(file)) === document && !(await isBehind(document, onDisk))) return;
    throw outdatedBufferError(file);
  }

  /** Returns the buffer version if the buffer has the text of the expected version. @throws EditorError `staleVersion` */
  private async resolveExpectedVersion(
    file: CheckedPath,
    document: vscode.TextDocument,
    expected: FileVersion | undefined,
  ): Promise<FileVersion | undefined> {
    if (expected === undefined || expected === this.openDocuments.versionOf(document)) return expected;
    // The expected version may be from disk, before the file was opened.
    const onDisk = file.exists ? await this.readDisk(file.path) : undefined;
    if (onDisk?.file.version !== expected || !(await hasTextOf(document, onDisk))) throw staleVersionError(file);
    return this.openDocuments.versionOf(document);
  }

  /** Does not use VS Code, which would follow a link that has just replaced a folder. */
  private async createFile(file: CheckedPath, text: string, options: WriteOptions): Promise<TextFile> {
    if (options.expectedVersion !== undefined) throw staleVersionError(file);
    const uri = vscode.Uri.file(file.path);
    await requireEncodable(text, encodingForNewFile(uri), file.path);
    const contents = await vscode.workspace.encode(text, { uri });
    throwIfCancelled(options.signal);
    await createCheckedFile(this.pathGuard, file, contents);
    return (await this.readDisk(file.path)).file;
  }

  private async openDocument(file: CheckedPath): Promise<vscode.TextDocument> {
    await checkCanOpen(file);
    try {
      const uri = vscode.Uri.file(file.path);
      return await this.withTimeout('opening the file', () => vscode.workspace.openTextDocument(uri));
    } catch (error) {
      if (isEditorError(error)) throw error;
      throw new EditorError('notText', `VS Code cannot open ${file.path} as text: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Applies edits to documents as one undo step. With `mayVsCodeSave`, VS Code saves several documents without user changes.
   * Returns whether VS Code applied them. @throws EditorError `io` after a time-out
   */
  async applyEdits(changes: readonly DocumentEdits[], mayVsCodeSave = true): Promise<boolean> {
    const isRefactoring = mayVsCodeSave && changes.length > 1 && !changes.some(({ document }) => document.isDirty);
    const timeoutMs = vscodeTimeoutMs + changes.length * timeoutPerFileMs;
    return await this.withTimeout('editing the file', () => applyWorkspaceEdit(changes, isRefactoring), timeoutMs);
  }

  /** Whether a save by VS Code alone would change line endings of the file. */
  async hasMixedLineEndings(file: CheckedPath, document: vscode.TextDocument): Promise<boolean> {
    return (await readMixedLineEndings(file, document, this.readDisk)) !== undefined;
  }

  /** Whether the document has changes of the user that are not being saved. */
  hasUserChanges(document: vscode.TextDocument): boolean {
    return document.isDirty && !this.pendingSaves.has(document);
  }

  /** Saves a document. Waits at most until `waitUntil`, in milliseconds of the monotonic clock. */
  async saveDocument(file: CheckedPath, document: vscode.TextDocument, waitUntil?: number): Promise<void> {
    if (!document.isDirty) return;
    const saved = this.saveNow(file, document, this.pendingSaves.get(document)).finally(() => {
      if (this.pendingSaves.get(document) === saved) this.pendingSaves.delete(document);
    });
    this.pendingSaves.set(document, saved);
    try {
      if (waitUntil === undefined) await saved;
      else {
        const leftMs = Math.max(0, waitUntil - this.clock.monotonicNow());
        await withDeadline(this.clock, 'saving the file', leftMs, () => saved);
      }
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      saved.catch((late: unknown) => {
        // A newer save of the same file reports its own result.
        if (!this.pendingSaves.has(document)) this.log.error(`${file.path} was not saved after an edit`, late);
      });
    }
  }

  /** Waits for an earlier save: VS Code rejects concurrent ones. That save may not include the latest edit. */
  private async saveNow(file: CheckedPath, document: vscode.TextDocument, earlier?: Promise<void>): Promise<void> {
    await earlier?.catch(() => undefined);
    if (!document.isDirty) return;
    const before = await statDisk(file).catch(() => undefined);
    const mixed = await readMixedLineEndings(file, document, this.readDisk);
    const saving = Promise.resolve(document.save());
    // Runs even if the save fails or times out.
    const checked = saving.then(
      (isSaved) => this.checkSavedPath(file, document, isSaved ? before?.version : undefined),
      () => this.checkSavedPath(file, document),
    );
    checked.catch(() => undefined);
    const isSaved = await this.withTimeout('saving the file', () => saving);
    await checked;
    if (!isSaved) {
      const message = `${file.path} was edited in the editor but could not be saved. The user can save it.`;
      throw new EditorError('saveFailed', message);
    }
    const saved = await statDisk(file).catch(() => undefined);
    if (!saved) return;
    this.lastSavedAt.set(document, saved.modifiedAt);
    if (mixed !== undefined) await restoreLineEndings(this.pathGuard, file, document, mixed, saved.modifiedAt);
  }

  /**
   * Detects a save to the wrong file because a folder was replaced by a link after the check: the path now resolves
   * differently, or the checked file was not written. The save cannot be undone.
   */
  async checkSavedPath(file: CheckedPath, document: vscode.TextDocument, versionBefore?: FileVersion): Promise<void> {
    const place = await this.pathGuard.check(file.path).catch(messageOf);
    if (typeof place !== 'string' && place.realPath === file.realPath) {
      const now = await statDisk(place).catch(() => undefined);
      if (versionBefore === undefined || now?.version !== versionBefore) return;
      // Two writes can have the same timestamp, so the contents are compared.
      const onDisk = await this.readDisk(file.path).catch(() => undefined);
      if (onDisk && (await hasTextOf(document, onDisk))) return;
    }
    const reason = typeof place === 'string' ? place : `It now leads to ${place.realPath}.`;
    const message = `${file.path} was moved while it was saved, so the text may be in another place. ${reason}`;
    this.log.error(message);
    throw new EditorError('editRejected', message);
  }

  /** Runs VS Code calls with a time limit, because they can hang. */
  private async withTimeout<T>(what: string, work: () => Thenable<T>, timeoutMs = vscodeTimeoutMs): Promise<T> {
    try {
      return await withDeadline(this.clock, what, timeoutMs, async () => await work());
    } catch (error) {
      throw error instanceof TimeoutError ? new EditorError('io', error.message, { cause: error }) : error;
    }
  }
}

const uriOf = ({ path }: CheckedPath): vscode.Uri => vscode.Uri.file(path);

async function isBehind(document: vscode.TextDocument, onDisk: TextFileWithBytes): Promise<boolean> {
  return !document.isDirty && !(await hasTextOf(document, onDisk));
}
