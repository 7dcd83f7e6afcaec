import type { KeyedQueue } from '../../../base/common/async';
import { replaceLines, type Hunk } from '../../../changes/common/review/hunks';
import { mergePreferringTheirs } from '../../../changes/common/review/threeWayMerge';
import type { TextsOfChange, TextsShownToUser } from '../../../changes/common/review/reviewSource';
import type { EditorPort, TextFile, WriteOptions } from '../../../editor/common/editorPort';
import {
  ChatError,
  type RevertOptions,
  type UneditedChangeCounts,
  type TurnRange,
  type TextsAroundTurns,
} from '../chatPorts';
import type { ChangeLedger } from './changeLedger';
import {
  isSizeOfText,
  unlessChanged,
  type CurrentFileText,
  type FileText,
  type FileTextId,
  type FileTexts,
} from './fileTexts';
import type { NonTextChanges } from './nonTextChanges';
import type { UndoWrites } from '../writes/undoWrites';

interface FileReviewPorts {
  readonly editor: Pick<EditorPort, 'stat' | 'writeText'>;
  readonly fileTexts: FileTexts;
  readonly ledger: ChangeLedger;
  readonly states: Pick<NonTextChanges, 'hasChanges'>;
  readonly undoWrites: Pick<UndoWrites, 'ofText'>;
  /** Runs the work on each file in sequence. Keyed by path. */
  readonly queue: KeyedQueue;
  readonly resolvePath: (path: string) => Promise<string>;
  readonly onDidChange: () => void;
  /** Compares the changes of a file with the current file. Never rejects. */
  readonly refresh: (path: string) => Promise<void>;
}

/** Maximum number of files that are compared when a conversation is opened: the user waits while each is read. */
const maxComparedAfterMove = 200;

/** Keeps and undoes single hunks of a file's changes. */
export class FileReview {
  constructor(private readonly ports: FileReviewPorts) {}

  async textsOfTurns(requestedPath: string, turns: TurnRange): Promise<TextsAroundTurns> {
    const path = await this.ports.resolvePath(requestedPath);
    const known = this.ports.ledger.textsOfTurns(turns).get(path);
    const now = await this.ports.fileTexts.readWithUnsavedText(path);
    const [before, after] = await Promise.all(
      [known?.before, known?.after].map((id) => this.ports.fileTexts.textOf(id)),
    );
    return { before, after, isCurrent: known?.after !== undefined && now.id === known.after };
  }

  /**
   * The changed files that are not as the agent left them, because they were edited or replaced since. Compares at most
   * `maxComparedAfterMove`.
   */
  async pathsNotAsLeft(): Promise<string[]> {
    const { fileTexts, ledger } = this.ports;
    const differing: string[] = [];
    for (const path of ledger.paths.slice(0, maxComparedAfterMove)) {
      const file = ledger.getFile(path);
      const left = file?.changesAfterUndo?.at(-1)?.after ?? file?.after;
      if (left !== undefined && (await fileTexts.readSavedText(path)).id !== left) differing.push(path);
    }
    return differing;
  }

  async countUneditedChanges(requestedPath: string): Promise<UneditedChangeCounts> {
    const path = await this.ports.resolvePath(requestedPath);
    const { separable, total } = await this.ports.ledger.textWithoutUneditedChanges(
      path,
      await this.ports.fileTexts.readWithUnsavedText(path),
    );
    return { separable, total };
  }

  /** Undoes the changes whose lines nobody has edited since. @throws ChatError `notFound`, EditorError */
  async undoUneditedChanges(
    requestedPath: string,
    { protectedFiles = 'refuse' }: Pick<RevertOptions, 'protectedFiles'>,
  ): Promise<UneditedChangeCounts> {
    const path = await this.ports.resolvePath(requestedPath);
    const counts = await this.ports.queue.run(path, async () => {
      const now = await this.ports.fileTexts.readWithUnsavedText(path);
      const { separable, text, total } = await this.ports.ledger.textWithoutUneditedChanges(path, now);
      if (separable > 0 && text !== undefined) {
        await this.writeText(path, text, { ...unlessChanged(now), save: !now.isDirty, protectedFiles });
      }
      return { separable, total };
    });
    await this.ports.refresh(path);
    return counts;
  }

  /** Implements `ReviewSource.baseline`. */
  async baseline(requestedPath: string): Promise<FileText> {
    return (await this.texts(requestedPath)).baseline;
  }

  async texts(requestedPath: string): Promise<TextsOfChange> {
    const path = await this.ports.resolvePath(requestedPath);
    const { fileTexts, ledger, states } = this.ports;
    const now = await fileTexts.readWithUnsavedText(path);
    const file = ledger.getFile(path);
    // The text is unchanged, for example if only the file mode differs.
    if (!file) return { baseline: states.hasChanges(path) ? now.text : undefined, text: now.text };
    const baseline = await ledger.textWithoutChange(file, now);
    return { baseline: baseline === undefined ? await fileTexts.textOf(file.before) : baseline, text: now.text };
  }

  /**
   * Stores the text that the file has without the remaining changes and without a turn that is being reverted, whose
   * changes the user may have kept. Undefined if that is unknown or nothing remains.
   */
  async storeBaselineWithout(turn: number, path: string, now: CurrentFileText): Promise<FileTextId> {
    const { fileTexts, ledger } = this.ports;
    const file = ledger.getFile(path);
    const baseline = file && (await ledger.textWithoutChange(file, now));
    const reverted = ledger.getTurnFile(turn, path);
    const [ours, base] = await Promise.all([reverted?.before, reverted?.after].map((id) => fileTexts.textOf(id)));
    if (typeof baseline !== 'string' || typeof ours !== 'string' || typeof base !== 'string') {
      return await fileTexts.storeTextNotFromDisk(baseline);
    }
    return await fileTexts.storeTextNotFromDisk(mergePreferringTheirs({ base, ours, theirs: baseline }).text);
  }

  /** Keeps a hunk. @throws ChatError `changedSince` if the file differs from what the user saw, `notFound` */
  async keepHunk(requestedPath: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.runIfTextIsAsShown(requestedPath, seen, async (path, now) => {
      const text = replaceLines(seen.baseline, hunk.before, seen.text, hunk.after);
      const before = await this.ports.fileTexts.storeTextNotFromDisk(text);
      await this.ports.ledger.recordPartKept(path, { before, after: await this.ports.fileTexts.storeText(now) });
    });
    this.ports.onDidChange();
  }

  /** Whether the bytes of the file are those of its text. Otherwise, it has mixed line endings, or is not UTF-8. Never rejects. */
  async isTextExact(requestedPath: string): Promise<boolean> {
    const path = await this.ports.resolvePath(requestedPath);
    const { isDirty, text } = await this.ports.fileTexts.readWithUnsavedText(path);
    const stat = await this.ports.editor.stat(path).catch(() => undefined);
    // Unsaved text is edited and not saved, so the file on disk stays as it is.
    if (isDirty || typeof text !== 'string' || !stat) return true;
    return isSizeOfText(stat.size, text);
  }

  /** Undoes a hunk. @throws the same ChatErrors as `keepHunk`, EditorError */
  async undoHunk(requestedPath: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    const undone = await this.runIfTextIsAsShown(requestedPath, seen, async (path, now) => {
      const found = await this.ports.fileTexts.storeText(now);
      const text = replaceLines(seen.text, hunk.after, seen.baseline, hunk.before);
      // Allowed, because the user has seen these lines and requested the change.
      await this.writeText(path, text, { ...unlessChanged(now), protectedFiles: 'allow' });
      const after = await this.ports.fileTexts.storeText(await this.ports.fileTexts.readWithUnsavedText(path));
      this.ports.ledger.recordHunkUndo(path, found, {
        before: await this.ports.fileTexts.storeTextNotFromDisk(seen.baseline),
        after,
      });
    });
    await this.ports.refresh(undone);
  }

  private async writeText(path: string, text: string, options: WriteOptions): Promise<void> {
    const { editor, undoWrites } = this.ports;
    const write = (): Promise<TextFile> => editor.writeText(path, text, options);
    await undoWrites.ofText(path, text, write, (file) => file.text);
  }

  /** Returns the resolved path. */
  private async runIfTextIsAsShown(
    requestedPath: string,
    seen: TextsShownToUser,
    task: (path: string, now: CurrentFileText) => Promise<void>,
  ): Promise<string> {
    const path = await this.ports.resolvePath(requestedPath);
    await this.ports.queue.run(path, async () => {
      if (!this.ports.ledger.getFile(path)) throw new ChatError('notFound', 'There are no agent changes in this file.');
      const now = await this.ports.fileTexts.readWithUnsavedText(path);
      if (((await this.baseline(path)) ?? '') !== seen.baseline || now.text !== seen.text) {
        throw new ChatError('changedSince', 'The file has changed in the meantime. Try again.');
      }
      await task(path, now);
    });
    return path;
  }
}
