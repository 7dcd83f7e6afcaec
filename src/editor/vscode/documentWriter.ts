import * as vscode from 'vscode';
import { KeyedQueue, withDeadline, type Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import { messageOf, TimeoutError } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import {
  EditorError,
  type FileVersion,
  type TextEdit,
  type TextFile,
  type WriteOptions,
  isEditorError,
} from '../common/editorPort';
import { withLineEnding, type LineEnding } from '../common/text/lineEndings';
import { applyOffsetEdits, checkNewText, minimalEdit, toOffsetEdits, type OffsetEdit } from '../common/text/textEdits';
import { LineIndex } from '../common/text/textOffsets';
import type { ChangeCheck } from '../common/uncheckedEditor';
import { createChecked } from '../node/checkedWrite';
import { isWritable, notFound, statDisk } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import { checkSignal, type FileOnDisk } from './documentReader';
import { checkEncodable, decodeAs, encodingOfNew, isExact } from './encodings';
import type { OpenDocuments } from './openDocuments';

/** Makes edits of the text the file has now; may be called again when the user was quicker. */
type MakeEdits = (file: TextFile, lineEnding: LineEnding) => OffsetEdit[];

/** VS Code opens no larger file for an extension. */
export const maxOpenBytes = 50 * 1024 * 1024;
/** Far beyond what formatters and other save participants are given by VS Code. */
const timeoutMs = 30_000;
/** VS Code's file watcher gathers changes for less than this. */
const reloadTimeoutMs = 1000;
/** Until VS Code has surely heard of a writing of a file that is open. */
const settleMs = 300;
/** The user may type between the making of an edit and its coming to the text; it is then made again. */
const maxAttempts = 4;

/** Edits files through their documents, one edit at a time for each file, so that undo, encoding and line ends survive. */
export class DocumentWriter {
  /** By the path as asked for: it takes a while to find out which file that is, and nobody is to overtake meanwhile. */
  private readonly arrivals = new KeyedQueue();
  /** The last saving of each document that is not on disk yet: it is dirty, but not by the user. */
  private readonly saving = new Map<vscode.TextDocument, Promise<void>>();
  /** When the file of a document was last saved from here, as the disk says. */
  private readonly savedAt = new WeakMap<vscode.TextDocument, number>();

  constructor(
    private readonly guard: PathGuard,
    private readonly documents: OpenDocuments,
    private readonly queue: KeyedQueue,
    private readonly isTrusted: () => boolean,
    /** What is on disk, whatever the buffer holds; for who has the turn of the file. */
    private readonly readDisk: (path: string) => Promise<FileOnDisk>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Settles when all edits of the path that were asked for so far have their place in the queue of its file. */
  async arrived(path: string): Promise<void> {
    await this.arrivals.idle(path);
  }

  async editText(
    path: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options: WriteOptions = {},
  ): Promise<TextFile> {
    return await this.inTurn(path, async (file) => {
      if (!file.exists && !(await this.documents.find(file))) throw notFound(path);
      return await this.change(file, options, (before) => {
        const edits = edit(before);
        for (const { newText } of edits) checkNewText(newText);
        const changes = edits.length === 0 ? [] : toOffsetEdits(new LineIndex(before.text), edits);
        const after = applyOffsetEdits(before.text, changes);
        if (after !== before.text) check({ ...file, requested: path, before: before.text, after });
        return changes;
      });
    });
  }

  async writeText(path: string, text: string, check: ChangeCheck, options: WriteOptions = {}): Promise<TextFile> {
    checkNewText(text);
    const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
    return await this.inTurn(path, async (file) => {
      if (!file.exists && !(await this.documents.find(file))) {
        check({ ...file, requested: path, before: undefined, after: whole });
        return await this.create(file, whole, options);
      }
      return await this.change(file, options, (before, lineEnding) => {
        const after = withLineEnding(whole, lineEnding);
        const edit = minimalEdit(before.text, after);
        if (edit) check({ ...file, requested: path, before: before.text, after });
        return edit ? [edit] : [];
      });
    });
  }

  async save(path: string): Promise<void> {
    await this.inTurn(path, async (file) => {
      const document = await this.documents.find(file);
      if (document) await this.saveDocument(file, document);
    });
  }

  private async inTurn<T>(path: string, task: (file: CheckedPath) => Promise<T>): Promise<T> {
    if (!this.isTrusted()) {
      throw new EditorError('untrusted', `${path} is in a workspace the user does not trust, so it is not edited.`);
    }
    const { turn } = await this.arrivals.run(path, async () => {
      const { realPath } = await this.guard.check(path);
      const inTurn = async (): Promise<T> => {
        // Checked again when its turn comes: what ran before may have moved it.
        const file = await this.guard.checkWrite(path);
        if (file.realPath !== realPath) throw rejected(file);
        return await task(file);
      };
      // In an object, so that who comes later waits for its place in the queue and not for its end.
      return { turn: this.queue.run(realPath, inTurn) };
    });
    return await turn;
  }

  private async change(file: CheckedPath, options: WriteOptions, makeEdits: MakeEdits): Promise<TextFile> {
    const opened = await this.documents.find(file);
    if (opened) await this.settled(file, opened);
    const document = opened ?? (await this.open(file));
    await this.checkCurrent(file, document);
    const expected = await this.checkVersion(file, document, options.expectedVersion);
    if (options.save ?? !this.isUnsaved(document)) await checkWritable(file);
    for (let attempt = 1; ; attempt++) {
      checkSignal(options.signal);
      const before = this.documents.textFile(file.path, document);
      if (expected !== undefined && before.version !== expected) throw stale(file);
      const isUnsaved = this.isUnsaved(document);
      if (isUnsaved && options.ifDirty === 'refuse') {
        throw new EditorError('dirty', `${file.path} has unsaved changes in the editor. Ask the user to save it.`);
      }
      const edits = makeEdits(before, document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
      await checkEncodable(edits.map(({ newText }) => newText).join(''), document.encoding, file.path);
      const isCurrent = this.documents.versionOf(document) === before.version;
      if (edits.length === 0 || (isCurrent && (await this.apply(document, edits)))) {
        if (options.save ?? !isUnsaved) await this.saveDocument(file, document, options.awaitSaveUntil);
        return this.documents.textFile(file.path, document);
      }
      const hasChanged = this.documents.versionOf(document) !== before.version;
      if (!hasChanged || attempt === maxAttempts) throw rejected(file);
    }
  }

  /**
   * VS Code may have the text of a file that was written while it read it, but the time from before; it would take the
   * file for changed since, and not save it. It reads it once more when it hears of the writing, if nobody edits it first.
   */
  private async settled(file: CheckedPath, document: vscode.TextDocument): Promise<void> {
    if (document.isDirty || !file.exists) return;
    const { mtime } = await statDisk(file);
    const leftMs = mtime + settleMs - this.clock.now();
    if (leftMs <= 0 || leftMs > settleMs || mtime === this.savedAt.get(document)) return;
    await new Promise<void>((resolve) => this.clock.setTimer(leftMs, resolve));
  }

  /**
   * An edit of a buffer that is behind the disk could not be saved. What VS Code has just read by name and is not what
   * the checked file holds may even be another file. VS Code takes a moment to see that a file was written behind its
   * back, so it is given time to read the file again.
   * @throws EditorError `staleVersion`, or `notText` when saving would change bytes that no edit is about
   */
  private async checkCurrent(file: CheckedPath, document: vscode.TextDocument): Promise<void> {
    const read = async (): Promise<FileOnDisk | undefined> =>
      file.exists ? await this.readDisk(file.path).catch(() => undefined) : undefined;
    const isBehind = async (now: FileOnDisk | undefined): Promise<boolean> =>
      now !== undefined && !document.isDirty && !(await holds(document, now));
    let onDisk = await read();
    if (await isBehind(onDisk)) {
      await nextChange(document, this.clock, reloadTimeoutMs);
      onDisk = await read();
      if (await isBehind(onDisk)) throw stale(file);
    }
    if (!onDisk || (await isExact(onDisk.bytes, document.encoding))) return;
    throw new EditorError(
      'notText',
      `${file.path} has bytes that are invalid in the encoding ${document.encoding}: an edit would destroy them. Open it with its own encoding in VS Code (“Change File Encoding”), or set files.encoding.`,
    );
  }

  /** The version of the buffer, when it holds the text of the expected version. @throws EditorError `staleVersion` */
  private async checkVersion(
    file: CheckedPath,
    document: vscode.TextDocument,
    expected: FileVersion | undefined,
  ): Promise<FileVersion | undefined> {
    if (expected === undefined || expected === this.documents.versionOf(document)) return expected;
    // It may be that of the disk, from before the file was open.
    const onDisk = file.exists ? await this.readDisk(file.path) : undefined;
    if (onDisk?.file.version !== expected || !(await holds(document, onDisk))) throw stale(file);
    return this.documents.versionOf(document);
  }

  /** Not by VS Code, which creates by name and so also through a link that has just taken the place of a folder. */
  private async create(file: CheckedPath, text: string, options: WriteOptions): Promise<TextFile> {
    if (options.expectedVersion !== undefined) throw stale(file);
    const uri = vscode.Uri.file(file.path);
    await checkEncodable(text, encodingOfNew(uri), file.path);
    const contents = await vscode.workspace.encode(text, { uri });
    checkSignal(options.signal);
    await createChecked(this.guard, file, contents);
    return (await this.readDisk(file.path)).file;
  }

  private async open(file: CheckedPath): Promise<vscode.TextDocument> {
    await checkCanOpen(file);
    try {
      const uri = vscode.Uri.file(file.path);
      return await this.bounded('opening the file', () => vscode.workspace.openTextDocument(uri));
    } catch (error) {
      if (isEditorError(error)) throw error;
      throw new EditorError('notText', `VS Code cannot open ${file.path} as text: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  private async apply(document: vscode.TextDocument, edits: readonly OffsetEdit[]): Promise<boolean> {
    const changes = edits.map(({ start, end, newText }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      return new vscode.TextEdit(range, newText);
    });
    return await this.bounded('editing the file', () => applyEdits(document, changes));
  }

  /** With changes of the user, that is: what is on its way to the disk is not unsaved. */
  private isUnsaved(document: vscode.TextDocument): boolean {
    return document.isDirty && !this.saving.has(document);
  }

  /** Waits for the end of it, or until then, in milliseconds of the monotonic clock. */
  private async saveDocument(file: CheckedPath, document: vscode.TextDocument, waitUntil?: number): Promise<void> {
    if (!document.isDirty) return;
    const saved = this.saveNow(file, document, this.saving.get(document)).finally(() => {
      if (this.saving.get(document) === saved) this.saving.delete(document);
    });
    this.saving.set(document, saved);
    try {
      if (waitUntil === undefined) await saved;
      else await withDeadline(this.clock, 'saving the file', this.leftUntil(waitUntil), () => saved);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      saved.catch((late: unknown) => {
        // A newer saving of the same file tries again, and tells how that went.
        if (!this.saving.has(document)) this.log.error(`${file.path} was not saved after an edit`, late);
      });
    }
  }

  /** `until` is in milliseconds of the monotonic clock. */
  private leftUntil(until: number): number {
    return Math.max(0, until - this.clock.monotonicNow());
  }

  /** VS Code refuses to save what it is saving, so that is waited for; it may save what was edited meanwhile, or not. */
  private async saveNow(file: CheckedPath, document: vscode.TextDocument, earlier?: Promise<void>): Promise<void> {
    await earlier?.catch(() => undefined);
    if (!document.isDirty) return;
    const before = await statDisk(file).catch(() => undefined);
    const saving = Promise.resolve(document.save());
    // Also when it is no longer waited for, or has failed half way.
    const checked = saving.then(
      (isSaved) => this.checkPlace(file, document, isSaved ? before?.version : undefined),
      () => this.checkPlace(file, document),
    );
    checked.catch(() => undefined);
    const isSaved = await this.bounded('saving the file', () => saving);
    await checked;
    if (!isSaved) {
      const message = `${file.path} is edited in the editor but could not be saved. The user can save it.`;
      throw new EditorError('saveFailed', message);
    }
    const saved = await statDisk(file).catch(() => undefined);
    if (saved) this.savedAt.set(document, saved.mtime);
  }

  /**
   * VS Code writes by name, so a folder of it that was swapped for a link since the check led the writing elsewhere. That
   * cannot be undone from here, but it is not to go unnoticed: the path leads elsewhere now, or did for a moment, and the
   * file at the checked place was not written.
   */
  private async checkPlace(
    file: CheckedPath,
    document: vscode.TextDocument,
    versionBefore?: FileVersion,
  ): Promise<void> {
    const place = await this.guard.check(file.path).catch(messageOf);
    if (typeof place !== 'string' && place.realPath === file.realPath) {
      const now = await statDisk(place).catch(() => undefined);
      if (versionBefore === undefined || now?.version !== versionBefore) return;
      // Two writings within one tick of the file system's clock.
      const onDisk = await this.readDisk(file.path).catch(() => undefined);
      if (onDisk && (await holds(document, onDisk))) return;
    }
    const reason = typeof place === 'string' ? place : `It leads to ${place.realPath} now.`;
    const message = `${file.path} was moved while it was written, so the text may be in another place. ${reason}`;
    this.log.error(message);
    throw new EditorError('editRejected', message);
  }

  /** Every request ends, also when VS Code waits for something that does not come. */
  private async bounded<T>(what: string, work: () => Thenable<T>): Promise<T> {
    try {
      return await withDeadline(this.clock, what, timeoutMs, async () => await work());
    } catch (error) {
      throw error instanceof TimeoutError ? new EditorError('io', error.message, { cause: error }) : error;
    }
  }
}

/**
 * For a document in the active editor VS Code reduces a plain edit to the UTF-16 units that differ, and spoils the text
 * where those are halves of characters (😀 to 😁). An edit with metadata is applied as it is.
 */
async function applyEdits(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): Promise<boolean> {
  const metadata: vscode.WorkspaceEditEntryMetadata = { needsConfirmation: false, label: 'Edit by an agent' };
  const change = new vscode.WorkspaceEdit();
  change.set(
    document.uri,
    edits.map((edit): [vscode.TextEdit, vscode.WorkspaceEditEntryMetadata] => [edit, metadata]),
  );
  return await vscode.workspace.applyEdit(change);
}

/** Whether the buffer holds what is on disk, in the encoding that it was read in. */
async function holds(document: vscode.TextDocument, { file, bytes }: FileOnDisk): Promise<boolean> {
  const text = document.getText();
  return file.text === text || (await decodeAs(bytes, document.encoding)) === text;
}

async function nextChange(document: vscode.TextDocument, clock: Clock, maxWaitMs: number): Promise<void> {
  const store = new DisposableStore();
  await new Promise<void>((resolve) => {
    store.add(clock.setTimer(maxWaitMs, resolve));
    store.add(
      vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.document === document && change.contentChanges.length > 0) resolve();
      }),
    );
  });
  store.dispose();
}

/** What is no file of text would at best be refused by VS Code; a FIFO might keep it waiting. */
async function checkCanOpen(file: CheckedPath): Promise<void> {
  const { type, size } = await statDisk(file);
  if (type === 'directory') throw new EditorError('isDirectory', `${file.path} is a folder. Name a file in it.`);
  if (type === 'other') throw new EditorError('notAFile', `${file.path} is not a regular file, so it is not edited.`);
  if (size <= maxOpenBytes) return;
  throw new EditorError('tooLarge', `${file.path} has ${size} bytes; VS Code edits at most ${maxOpenBytes}.`);
}

/** Before anything is changed, so that nothing is left half done: saving would fail. */
async function checkWritable(file: CheckedPath): Promise<void> {
  if (!file.exists || (await isWritable(file))) return;
  throw new EditorError('editRejected', `${file.path} is read-only, so it was not edited. Make it writable first.`);
}

function stale({ path }: CheckedPath): EditorError {
  return new EditorError('staleVersion', `${path} has changed since it was read. Read it again.`);
}

function rejected({ path }: CheckedPath): EditorError {
  return new EditorError('editRejected', `VS Code did not apply the edit of ${path}: it is read-only or just changed.`);
}
