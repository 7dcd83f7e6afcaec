import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { FileChange } from '../../../transcript/common/entries';
import { mergePreferringTheirs } from '../../../changes/common/review/threeWayMerge';
import type { UneditedChangeCounts, TurnRange, FileChangedByTurns } from '../chatPorts';
import type { TextIdsBeforeAndAfter, CurrentFileText, FileTexts, FileText, FileTextId } from './fileTexts';
import type { RemainingChange, LogRecord, NewRecord, RecordOf } from '../conversation/logRecord';
import { findFormerPaths } from './renames';
import { changeOf, combineWrites, type TurnFile, type WrittenFile } from '../writes/writtenFile';
import type { ConversationClaims } from '../writes/fileTextClaims';

interface Write {
  readonly path: string;
  /** The text that Backline read immediately before the write. */
  readonly base: FileTextId;
  /** The file after the write. If it is missing, the file is read. */
  readonly written?: CurrentFileText;
  /** The moment of claims before `written` was read. */
  readonly readAfter?: number;
  /** The call that wrote the file, if known. */
  readonly callId?: string | undefined;
  /** Whether only the agent can have made the change. */
  readonly isAgentsWork: (now: CurrentFileText) => boolean;
}

/** The ids of a file's text before and after changes were reverted. */
interface RevertedTexts {
  readonly found?: FileTextId;
  readonly left?: FileTextId;
}

export const maxFiles = 5_000;
const maxChangesAfterUndo = 20;

/** Records the agent's writes in a conversation and computes the resulting changes. */
export class ChangeLedger {
  private readonly writtenFiles = new Map<string, WrittenFile>();
  private readonly snapshotByPath = new Map<string, FileTextId>();
  /** Files written in the current turn. */
  private currentTurnFiles = new Map<string, TurnFile>();
  private readonly filesByTurn = new Map<number, Map<string, TurnFile>>();

  constructor(
    private readonly fileTexts: FileTexts,
    private readonly appendRecord: (record: NewRecord) => void,
    private readonly claims: ConversationClaims,
    /** Called when the agent has probably written a file. */
    private readonly onFileWritten: (path: string, before: FileText, after: FileText) => Promise<void>,
  ) {}

  /** Changes of files whose texts still differ. */
  get changes(): FileChange[] {
    return this.withFormerPaths(
      [...this.writtenFiles.values()].flatMap(({ change }) => change ?? []),
      this.writtenFiles,
    );
  }

  get paths(): string[] {
    return [...this.writtenFiles.keys()];
  }

  getFile(path: string): WrittenFile | undefined {
    return this.writtenFiles.get(path);
  }

  getTurnFile(turn: number, path: string): TurnFile | undefined {
    return this.filesByTurn.get(turn)?.get(path);
  }

  /** The remaining changes of all files. */
  get remainingChanges(): RemainingChange[] {
    return [...this.writtenFiles].map(([path, { after, before, changesAfterUndo, isMixed }]) => ({
      path,
      change: {
        isMixed,
        ...withoutUndefined({ before, after }),
        ...(changesAfterUndo && { afterUndo: changesAfterUndo.map((texts) => withoutUndefined({ ...texts })) }),
      },
    }));
  }

  /** Returns the files that these turns have changed. A renamed file is listed once. */
  filesOfTurns(turns: TurnRange): FileChangedByTurns[] {
    const files = this.textsOfTurns(turns);
    const formerPaths = findFormerPaths(files, (text) => this.fileTexts.isEmpty(text));
    const former = new Set(formerPaths.values());
    return [...files.keys()]
      .filter((path) => !former.has(path))
      .map((path) => ({ path, ...withoutUndefined({ renamedFrom: formerPaths.get(path) }) }));
  }

  /** Returns the texts before the first and after the last turn. If `last` is Infinity, the latter are the current texts. */
  textsOfTurns({ first, last }: TurnRange): ReadonlyMap<string, TextIdsBeforeAndAfter> {
    const files = new Map<string, TextIdsBeforeAndAfter>();
    const ended = [...this.filesByTurn].filter(([turn]) => turn >= first && turn <= last);
    const turns = ended.sort(([one], [other]) => one - other).map(([, changed]) => changed);
    if (last === Infinity) turns.push(this.currentTurnFiles);
    for (const changed of turns) {
      for (const [path, { after, before }] of changed) {
        files.set(path, { before: files.has(path) ? files.get(path)?.before : before, after });
      }
    }
    for (const [path, { after, before }] of files) if (before !== undefined && before === after) files.delete(path);
    return files;
  }

  /** Returns the first turn that has changed the file. If no turn has ended, this is the running turn. */
  firstTurnOf(path: string): number {
    const turns = [...this.filesByTurn].filter(([, files]) => files.has(path)).map(([turn]) => turn);
    return turns.length > 0 ? Math.min(...turns) : Math.max(0, ...this.filesByTurn.keys()) + 1;
  }

  hasTurnWritten(path: string): boolean {
    return this.currentTurnFiles.has(path);
  }

  /** Returns the file after the last write of the current turn. Undefined if the turn has not written the file. */
  currentTurnTextId(path: string): FileTextId {
    return this.currentTurnFiles.get(path)?.after;
  }

  applyRecord(record: LogRecord): void {
    if (record.type === 'snapshot') {
      this.snapshotByPath.set(record.path, record.text);
    } else if (record.type === 'written') {
      this.applyWrittenRecord(record);
    } else if (record.type === 'changed') {
      const texts = record.texts ?? [];
      const files = texts.map(
        ({ after, before, isMixed = false, path }) => [path, { before, after, isMixed }] as const,
      );
      this.filesByTurn.set(record.turn, new Map(files));
      this.currentTurnFiles = new Map();
    } else if (record.type === 'turnReverted') {
      this.removeTurnChange(record.turn, record.path, record);
    } else if (record.type === 'hunkUndone') {
      const { after, before, path } = record;
      this.addChangeAfterUndo(path, { before, after });
    } else if (record.type === 'rebased') {
      const { after, before, path } = record;
      this.snapshotByPath.set(path, before);
      this.writtenFiles.set(path, { before, after, isMixed: false, change: undefined });
    } else if (record.type === 'changesReplaced') {
      for (const file of record.files) this.setRemainingChange(file);
    } else if (record.type === 'fileDecided') {
      this.writtenFiles.delete(record.path);
      this.snapshotByPath.delete(record.path);
      this.currentTurnFiles.delete(record.path);
    }
  }

  /** Records a write that the agent has made or reported. Returns whether the file has changed. */
  async recordWrite({
    base,
    callId,
    isAgentsWork,
    path,
    readAfter = this.claims.now,
    written,
  }: Write): Promise<boolean> {
    const now = written ?? (await this.fileTexts.readWithUnsavedText(path));
    if (base !== undefined && base === now.id) return false;
    const known = this.writtenFiles.get(path);
    // The write was already recorded in this turn. If the earlier text is unknown, the file has not changed since the
    // agent's last write.
    const recorded = base === undefined ? known : this.currentTurnFiles.get(path);
    if (recorded && now.id !== undefined && recorded.after === now.id) return false;
    this.claims.claim(path, now.id, readAfter);
    if (!now.isDirty) await this.onFileWritten(path, await this.fileTexts.textOf(base), now.text);
    if (!known && this.writtenFiles.size >= maxFiles) return true;
    const { currentTurnFiles } = this;
    // This text is needed to separate later edits of others.
    await this.fileTexts.storeText(now);
    const write = { before: base, after: now.id, isMixed: !isAgentsWork(now) };
    if (!known) this.appendRecord({ type: 'snapshot', path, ...(base === undefined ? {} : { text: base }) });
    const file = await this.mergeWrites(known, write);
    const { before, isMixed } = file;
    const change = changeOf(path, await this.fileTexts.textOf(before), now.text, isMixed);
    this.writtenFiles.set(path, { ...file, change });
    currentTurnFiles.set(path, await this.mergeWrites(currentTurnFiles.get(path), write));
    const rebased = known && known.before !== before ? { before } : {};
    const found = known && known.after !== base ? { base, ...(write.isMixed && { isDoubtful: true }) } : {};
    const details = withoutUndefined({ after: now.id, callId, ...rebased, ...found });
    this.appendRecord({ type: 'written', path, isMixed, ...details });
    return true;
  }

  /** Returns the current text without the change. Undefined if later edits of others can't be separated from it. */
  async textWithoutChange(file: TurnFile, now: Pick<CurrentFileText, 'id' | 'text'>): Promise<FileText> {
    const { changesAfterUndo = [], isMixed } = file;
    if (isMixed) return undefined;
    // Starts with the oldest change, which is back in the file if the user has undone the undo of a hunk.
    for (const change of [file, ...changesAfterUndo]) {
      const rebased = await this.fileTexts.revertChangeInText(change, now);
      if (rebased !== undefined) return rebased;
    }
    return undefined;
  }

  /** Returns the text without those changes whose lines nobody has edited since. */
  async textWithoutUneditedChanges(
    path: string,
    { text: theirs }: Pick<CurrentFileText, 'text'>,
  ): Promise<UneditedChangeCounts & { readonly text?: string }> {
    const file = this.writtenFiles.get(path);
    const [ours, base] = await Promise.all([file?.before, file?.after].map((id) => this.fileTexts.textOf(id)));
    if (file?.isMixed !== false || typeof ours !== 'string' || typeof base !== 'string' || typeof theirs !== 'string') {
      return { separable: 0, total: 1 };
    }
    const { conflictCount, mergedCount, text } = mergePreferringTheirs({ base, ours, theirs });
    return { separable: mergedCount, total: mergedCount + conflictCount, text };
  }

  /** Records the remaining change of a file after a hunk was undone in it. */
  recordHunkUndo(path: string, found: FileTextId, remaining: TextIdsBeforeAndAfter): void {
    this.addChangeAfterUndo(path, remaining);
    this.appendRecord({ type: 'hunkUndone', path, ...withoutUndefined({ found, ...remaining }) });
  }

  private addChangeAfterUndo(path: string, remaining: TextIdsBeforeAndAfter): void {
    const file = this.writtenFiles.get(path);
    if (!file) return;
    const changesAfterUndo = [...(file.changesAfterUndo ?? []), remaining].slice(-maxChangesAfterUndo);
    this.writtenFiles.set(path, { ...file, changesAfterUndo });
  }

  /** Replaces the recorded change of a file after a part of it was kept. */
  async recordPartKept(path: string, texts: TextIdsBeforeAndAfter): Promise<void> {
    if (texts.before === texts.after) {
      this.recordDecision(path, 'kept');
      return;
    }
    const [before, after] = await Promise.all([texts.before, texts.after].map((id) => this.fileTexts.textOf(id)));
    this.writtenFiles.set(path, { ...texts, isMixed: false, change: changeOf(path, before, after, false) });
    this.appendRecord({ type: 'rebased', path, ...withoutUndefined({ ...texts }) });
  }

  /** Records all changes of the turn. `addStates` adds changes that a text diff cannot show. Later writes get a new turn. */
  async endTurn(turn: number, addStates: (changes: readonly FileChange[]) => FileChange[]): Promise<void> {
    const { currentTurnFiles: written } = this;
    if (written.size === 0 && addStates([]).length === 0) return;
    this.currentTurnFiles = new Map();
    const all = new Map(this.filesByTurn.get(turn));
    for (const [path, texts] of written) all.set(path, await this.mergeWrites(all.get(path), texts));
    const changes: FileChange[] = [];
    for (const [path, texts] of all) {
      const change = await this.changeOfTurn(path, texts);
      if (change) changes.push(change);
      else all.delete(path);
    }
    this.filesByTurn.set(turn, all);
    this.appendRecord({
      type: 'changed',
      turn,
      changes: addStates(this.withFormerPaths(changes, all)),
      texts: [...all].map(([path, { after, before, isMixed }]) => ({
        path,
        isMixed,
        ...withoutUndefined({ before, after }),
      })),
    });
  }

  /**
   * Compares the changes of all files, or of the given ones, with the current files, because others may have changed
   * them.
   */
  async refresh(paths?: ReadonlySet<string>): Promise<void> {
    for (const [path, file] of [...this.writtenFiles]) {
      if (paths?.has(path) === false) continue;
      const change = await this.currentChange(path, file);
      if (this.writtenFiles.get(path) === file) this.writtenFiles.set(path, { ...file, change });
    }
  }

  /**
   * Removes the changes to a file after the user's decision. `hasStates`: some of them were not visible in texts. `texts`: the
   * text before and after they were reverted.
   */
  recordDecision(path: string, decision: 'reverted' | 'kept', hasStates = false, texts: RevertedTexts = {}): void {
    if (!this.writtenFiles.delete(path) && !hasStates) return;
    this.currentTurnFiles.delete(path);
    this.appendRecord({ type: 'fileDecided', path, decision, ...withoutUndefined({ ...texts }) });
  }

  /** Sets the changes that remain, after files were restored or another conversation has taken over their review. */
  replaceChanges(files: readonly RemainingChange[]): void {
    if (files.length === 0) return;
    for (const file of files) this.setRemainingChange(file);
    this.appendRecord({ type: 'changesReplaced', files: [...files] });
  }

  /** Records that the change of a turn was reverted. `texts` is the remaining change of the conversation. */
  recordTurnReverted(turn: number, path: string, found: FileTextId, texts: TextIdsBeforeAndAfter): void {
    this.removeTurnChange(turn, path, texts);
    this.appendRecord({ type: 'turnReverted', turn, path, ...withoutUndefined({ found, ...texts }) });
  }

  private setRemainingChange({ change, path }: RemainingChange): void {
    this.currentTurnFiles.delete(path);
    if (!change) {
      this.writtenFiles.delete(path);
      this.snapshotByPath.delete(path);
      return;
    }
    const { after, afterUndo, before, isMixed = false } = change;
    const undone = afterUndo?.map((texts): TextIdsBeforeAndAfter => ({ before: texts.before, after: texts.after }));
    this.snapshotByPath.set(path, before);
    this.writtenFiles.set(path, {
      before,
      after,
      isMixed,
      change: undefined,
      ...(undone && { changesAfterUndo: undone }),
    });
  }

  private removeTurnChange(turn: number, path: string, texts: Partial<TextIdsBeforeAndAfter>): void {
    const reverted = this.getTurnFile(turn, path);
    const file = this.writtenFiles.get(path);
    this.filesByTurn.get(turn)?.delete(path);
    if (!reverted || !file) return;
    const { after = reverted.before, before = file.before } = texts;
    this.writtenFiles.set(path, { ...file, before, after, change: undefined });
    this.snapshotByPath.set(path, before);
    if (before !== after) return;
    this.writtenFiles.delete(path);
    this.snapshotByPath.delete(path);
  }

  private applyWrittenRecord(record: RecordOf<'written'>): void {
    const { after, before, isDoubtful = false, isMixed = false, path } = record;
    const known = this.writtenFiles.get(path);
    const previous = known ? known.after : this.snapshotByPath.get(path);
    // Without a base, the text before the write is the one after the agent's previous write.
    const write =
      record.base === undefined
        ? { before: previous, after, isMixed }
        : { before: record.base, after, isMixed: isDoubtful };
    if (before !== undefined) this.snapshotByPath.set(path, before);
    this.currentTurnFiles.set(path, combineWrites(this.currentTurnFiles.get(path), write));
    this.writtenFiles.set(path, { before: this.snapshotByPath.get(path), after, isMixed, change: undefined });
  }

  private async changeOfTurn(path: string, { after, before, isMixed }: TurnFile): Promise<FileChange | undefined> {
    if (before !== undefined && before === after) return undefined;
    return await this.currentChange(path, { after, before, isMixed });
  }

  /** Returns the part of the change that is still in the file. */
  private async currentChange(path: string, texts: TurnFile): Promise<FileChange | undefined> {
    const shown = await this.fileTexts.readWithUnsavedText(path);
    const onDisk = shown.isDirty && shown.id !== texts.after ? await this.fileTexts.readFromDisk(path) : shown;
    // If the disk has what the agent has written, only the user's unsaved text differs from it.
    const now = onDisk.id === texts.after ? onDisk : shown;
    const before = await this.textWithoutChange(texts, now);
    if (before !== undefined) return changeOf(path, before, now.text, false);
    return changeOf(path, await this.fileTexts.textOf(texts.before), now.text, true);
  }

  private withFormerPaths(changes: FileChange[], files: ReadonlyMap<string, TextIdsBeforeAndAfter>): FileChange[] {
    const isMoved = ({ change }: FileChange): boolean => change === 'created' || change === 'deleted';
    const moved = changes.filter(isMoved).flatMap(({ path }) => {
      const file = files.get(path);
      return file ? [[path, file] as const] : [];
    });
    const formerPaths = findFormerPaths(new Map(moved), (text) => this.fileTexts.isEmpty(text));
    if (formerPaths.size === 0) return changes;
    return changes.map((change) => ({ ...change, ...withoutUndefined({ renamedFrom: formerPaths.get(change.path) }) }));
  }

  /** Combines two consecutive writes. Edits of others between them become part of the earlier text if possible. */
  private async mergeWrites(first: TurnFile | undefined, next: TurnFile): Promise<TurnFile> {
    const combined = combineWrites(first, next);
    if (!first || !combined.isMixed || first.isMixed || next.isMixed) return combined;
    const between = { id: next.before, text: await this.fileTexts.textOf(next.before) };
    const before = await this.fileTexts.storeTextNotFromDisk(await this.textWithoutChange(first, between));
    return before === undefined ? combined : { before, after: next.after, isMixed: false };
  }
}
