import type * as vscode from 'vscode';
import { EditorError, isEditorError, throwIfCancelled, type FileEdits, type TextFile } from '../common/editorPort';
import type { ChangeCheck } from '../common/protection/changeCheck';
import { applyOffsetEdits, requireValidNewText, toOffsetEdits, type OffsetEdit } from '../common/text/textEdits';
import { LineIndex } from '../common/text/textOffsets';
import { notFoundError } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import type { DocumentsByPath } from './documentsByPath';
import type { DocumentWriter } from './documentWriter';
import { editRejectedError, staleVersionError } from './editableFiles';
import { requireEncodable } from './encodings';

interface PreparedEdits {
  readonly file: CheckedPath;
  readonly document: vscode.TextDocument;
  readonly before: TextFile;
  readonly edits: readonly OffsetEdit[];
  readonly hasUserChanges: boolean;
  /** Whether the writer must save the file, because VS Code’s save would change line endings. */
  readonly hasMixedLineEndings: boolean;
}

/** Edits several files through VS Code documents as one undo step. */
export class MultiFileWriter {
  constructor(
    private readonly pathGuard: PathGuard,
    private readonly writer: DocumentWriter,
    private readonly openDocuments: DocumentsByPath,
  ) {}

  async editFiles(
    changes: readonly FileEdits[],
    check: ChangeCheck,
    signal: AbortSignal | undefined,
  ): Promise<TextFile[]> {
    const byPath = new Map(changes.map((change) => [change.path, change]));
    const paths = await this.pathsInLockOrder([...byPath.keys()]);
    const files = new Map<string, CheckedPath>();
    const inTurn = paths.reduceRight<() => Promise<Map<string, TextFile>>>(
      (next, path) => () =>
        this.writer.runInTurn(path, async (file) => {
          files.set(path, file);
          return await next();
        }),
      () => this.editInTurn(files, byPath, check, signal),
    );
    const written = await inTurn();
    return changes.flatMap(({ path }) => written.get(path) ?? []);
  }

  /**
   * Returns the paths in the order that all edits use, which prevents deadlocks.
   * @throws EditorError if a file occurs twice
   */
  private async pathsInLockOrder(paths: readonly string[]): Promise<string[]> {
    const pathByRealPath = new Map<string, string>();
    for (const path of paths) {
      const { realPath } = await this.pathGuard.check(path);
      const same = pathByRealPath.get(realPath);
      if (same !== undefined) throw new EditorError('editRejected', `${path} and ${same} are the same file.`);
      pathByRealPath.set(realPath, path);
    }
    return [...pathByRealPath].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, path]) => path);
  }

  private async editInTurn(
    files: ReadonlyMap<string, CheckedPath>,
    changes: ReadonlyMap<string, FileEdits>,
    check: ChangeCheck,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, TextFile>> {
    const prepared = new Map<string, PreparedEdits>();
    for (const [path, file] of files) {
      throwIfCancelled(signal);
      const change = changes.get(path);
      if (change) prepared.set(path, await this.prepare(file, change, check));
    }
    // Preparing the others can take a while.
    await Promise.all([...prepared.values()].map(({ file }) => this.requireSamePlace(file)));
    for (const { before, document, file } of prepared.values()) {
      if (this.openDocuments.versionOf(document) !== before.version) throw staleVersionError(file);
    }
    throwIfCancelled(signal);
    const all = [...prepared.values()];
    const [first] = all;
    const mayVsCodeSave = !all.some(({ hasMixedLineEndings }) => hasMixedLineEndings);
    if (first && !(await this.writer.applyEdits(all, mayVsCodeSave))) throw editRejectedError(first.file);
    await Promise.all(all.map((each) => this.save(each)));
    return new Map(
      [...prepared].map(([path, { document, file }]) => [path, this.openDocuments.toTextFile(file.path, document)]),
    );
  }

  /** @throws EditorError if a path leads to another place, or may not be accessed any more */
  private async requireSamePlace(file: CheckedPath): Promise<void> {
    if ((await this.pathGuard.check(file.path)).realPath !== file.realPath) throw editRejectedError(file);
  }

  private async prepare(
    file: CheckedPath,
    { edits: requested, expectedVersion, path }: FileEdits,
    check: ChangeCheck,
  ): Promise<PreparedEdits> {
    if (!file.exists && !(await this.openDocuments.find(file))) throw notFoundError(path);
    const { document, expectedVersion: expected } = await this.writer.prepareDocument(file, { expectedVersion });
    const before = this.openDocuments.toTextFile(file.path, document);
    if (before.version !== expected) throw staleVersionError(file);
    for (const { newText } of requested) requireValidNewText(newText);
    const edits = toOffsetEdits(new LineIndex(before.text), requested);
    await requireEncodable(requested.map(({ newText }) => newText).join(''), document.encoding, file.path);
    const after = applyOffsetEdits(before.text, edits);
    if (after !== before.text) check({ ...file, requestedPath: path, before: before.text, after });
    const hasUserChanges = this.writer.hasUserChanges(document);
    const hasMixedLineEndings = await this.writer.hasMixedLineEndings(file, document);
    return { file, document, before, edits, hasUserChanges, hasMixedLineEndings };
  }

  /**
   * A file that cannot be saved stays dirty, and the user can save it.
   * @throws EditorError if it was moved in the meantime
   */
  private async save({ document, file, hasUserChanges }: PreparedEdits): Promise<void> {
    if (hasUserChanges) return;
    if (!document.isDirty) {
      await this.writer.checkSavedPath(file, document);
      return;
    }
    try {
      await this.writer.saveDocument(file, document);
    } catch (error) {
      if (!isEditorError(error) || error.code === 'editRejected') throw error;
    }
  }
}
