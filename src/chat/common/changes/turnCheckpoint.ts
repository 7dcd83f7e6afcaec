import type { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { splitIntoBatches } from '../../../base/common/lists';
import type { Logger } from '../../../base/common/log';
import { runInLanes, type Lane } from '../writes/runInLanes';
import { isSameState } from '../../../changes/common/restorePlan';
import type {
  ChangedFile,
  CurrentFileState,
  FolderCheckpoint,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import { checkpointFor } from '../restore/checkpointFor';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { NoTextDiffReason } from '../../../transcript/common/entries';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import { SavesByOthers } from '../unsaved/savesByOthers';
import { maxFiles, type ChangeLedger } from './changeLedger';
import {
  kindBesideText,
  kindOf,
  textBytesOf,
  type CurrentFileText,
  type FileText,
  type FileTexts,
  type FileTextId,
} from './fileTexts';
import type { CallActivity, CallScan, ChangeAuthor, ChangeAuthors, ScannedCalls } from './changeAuthors';
import { TurnNotices } from './turnNotices';
import { stateId, type NonTextChanges } from './nonTextChanges';
import type { OthersWrites } from '../writes/othersWrites';
import { placeOf } from '../writes/placeOf';

interface TurnCheckpointPorts {
  /** Id of the conversation. */
  readonly conversation: string;
  /** The checkpoints of the workspace folders. Undefined if they are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly editor: Pick<EditorPort, 'realPathOf'>;
  readonly texts: FileTexts;
  readonly ledger: ChangeLedger;
  readonly states: NonTextChanges;
  readonly authors: Pick<ChangeAuthors, 'record'>;
  readonly calls: Pick<CallActivity, 'beginScan' | 'clear'>;
  readonly othersWrites: OthersWrites;
  /** Runs the work on each file in sequence. Keyed by path. */
  readonly queue: KeyedQueue;
  readonly record: (record: NewRecord) => void;
  readonly log: Logger;
}

/** Number of files that are read from a checkpoint at once. */
const batchFiles = 200;
/** From this number of files on, changes are recorded concurrently. Fewer files are recorded in order. */
const manyFiles = 50;
const lanes = 8;
const batchBytes = 16 * 1024 * 1024;

/** A changed file, and who may have changed it since the last scan. */
interface FoundChange {
  readonly file: ChangedFile;
  readonly author: ChangeAuthor;
  /** The moment of claims before the file was read. */
  readonly readAfter: number;
}

/**
 * The checkpoint of the running turn. Files that differ from it were written during the turn by any program. A change
 * is recorded if a call of the agent can have made it, and if neither the user nor another conversation has made it.
 */
export class TurnCheckpoint {
  /** When the checkpoint was taken, in milliseconds since the epoch, if it was read from the log. Undefined for one of this window. */
  recordedAt: number | undefined;
  private folderCheckpoints: readonly FolderCheckpoint[] = [];
  private turn = 0;
  /** The last recorded state of each file. A file in the same state is skipped. */
  private readonly recordedByPath = new Map<string, ChangedFile>();
  /** Saves in editors of this window during the turn that were not made by this agent. */
  private readonly savesByOthers = new SavesByOthers();
  /** The states of files without texts after such saves. */
  private readonly stateSavedByOthersByPath = new Map<string, CurrentFileState>();
  private readonly notices: TurnNotices;
  private lastScan: Promise<void> = Promise.resolve();

  constructor(private readonly ports: TurnCheckpointPorts) {
    this.notices = new TurnNotices(ports.record);
  }

  applyRecord(record: LogRecord): void {
    this.notices.applyRecord(record);
    if (record.type === 'changed') this.folderCheckpoints = [];
    if (record.type !== 'checkpoint' || record.prompt !== undefined) return;
    this.folderCheckpoints = record.folders;
    this.turn = record.turn;
    this.recordedAt = record.at;
    this.ports.othersWrites.beginTurn(0);
  }

  /** Takes the checkpoint. Adds a notice about missing files, once. @throws Error when `signal` fires */
  async begin(turn: number, signal: AbortSignal): Promise<void> {
    const { checkpoints, conversation, record } = this.ports;
    if (!checkpoints) return;
    await this.lastScan;
    const since = this.ports.othersWrites.now;
    const { folders, problems, uncovered } = await checkpoints.take(`Turn ${turn}`, signal, {
      series: `turns of ${conversation}`,
    });
    this.folderCheckpoints = folders;
    this.turn = turn;
    this.recordedAt = undefined;
    this.ports.othersWrites.beginTurn(since);
    this.recordedByPath.clear();
    this.savesByOthers.clear();
    this.stateSavedByOthersByPath.clear();
    this.ports.calls.clear();
    if (folders.length > 0) record({ type: 'checkpoint', turn, folders: [...folders] });
    this.notices.addForCheckpoint(problems, uncovered);
  }

  /** Whether the conversation was reopened during the turn. */
  private get isFromRecord(): boolean {
    return this.recordedAt !== undefined;
  }

  /** Whether there is a checkpoint. If so, saves by the user and by other programs must be recorded. */
  get hasCheckpoint(): boolean {
    return this.folderCheckpoints.length > 0;
  }

  /** Whether scans of this turn look at the file, unless it is ignored, excluded or very large. */
  covers(path: string): boolean {
    return !this.isFromRecord && checkpointFor(path, this.folderCheckpoints) !== undefined;
  }

  /**
   * Records that someone other than this agent has saved a file in this window. `before` is the file on disk
   * immediately before the save, if known.
   */
  async recordOthersSave(path: string, saved: CurrentFileText, before: CurrentFileText | undefined): Promise<void> {
    if (!this.hasCheckpoint) return;
    const { texts } = this.ports;
    const text = await this.storeBase(path, saved);
    this.savesByOthers.add(path, text, before && (await texts.storeText(before)), this.lastAgentTextId(path));
  }

  /** Uses the current file on disk as the base with which later writes are compared. */
  async rebase(path: string): Promise<void> {
    if (!this.hasCheckpoint) return;
    const text = await this.storeBase(path, await this.ports.texts.readSavedText(path));
    this.savesByOthers.setLastKnownText(path, text, this.lastAgentTextId(path));
  }

  /** Records all changes of the turn until now. Scans run one at a time. `isLast`: the turn has ended. Never rejects. */
  async scan(isLast = false): Promise<void> {
    this.lastScan = this.lastScan.then(() =>
      this.scanNow(isLast).catch((error: unknown) => {
        this.notices.handleFailedScan(messageOf(error));
        this.ports.log.info(`Cannot find the changes of a turn: ${messageOf(error)}`);
      }),
    );
    await this.lastScan;
  }

  /** Records the last changes of the turn. Never rejects. */
  async end(turn: number): Promise<void> {
    if (this.folderCheckpoints.length === 0) return;
    await this.scan(true);
    this.notices.addForTurn(maxFiles);
    // Later writes do not belong to this turn, even if the conversation is reopened.
    this.ports.record({ type: 'checkpoint', turn, folders: [] });
    this.folderCheckpoints = [];
  }

  /** Drops a checkpoint that was read from the log, because its turn has ended. */
  forget(): void {
    this.folderCheckpoints = [];
  }

  private async scanNow(isLast: boolean): Promise<void> {
    const { folderCheckpoints } = this;
    const { checkpoints } = this.ports;
    if (!checkpoints || folderCheckpoints.length === 0) return;
    const scan = this.ports.calls.beginScan();
    let isComplete = false;
    try {
      isComplete = await this.recordChanges(checkpoints, folderCheckpoints, scan, isLast);
    } finally {
      // The next scan must know who can have made what this one has missed.
      if (!isComplete) scan.fail();
    }
  }

  /** Returns whether all changes were found and recorded. */
  private async recordChanges(
    checkpoints: WorkspaceCheckpoints,
    folders: readonly FolderCheckpoint[],
    scan: CallScan,
    isLast: boolean,
  ): Promise<boolean> {
    const readAfter = this.ports.othersWrites.now;
    const { files: changed, gone, problems } = await checkpoints.changesSince(folders, isLast);
    await this.ports.othersWrites.handleScan(changed, readAfter, problems.length === 0);
    const calls = await this.resolveCalls(scan.calls());
    this.notices.handleScan({ changedCount: changed.length, gone, hasWriter: calls.hasWriter, problems });
    this.recordUnlisted(changed.slice(maxFiles), calls, readAfter);
    let isComplete = problems.length === 0;
    const left = changed.slice(0, maxFiles).filter((file) => !this.isRecorded(file));
    for (const batch of splitIntoBatches(left, textBytesOf, { maxItems: batchFiles, maxBytes: batchBytes })) {
      const texts = await checkpoints.textsBefore(batch.filter((file) => kindOf(file) === undefined));
      await runInLanes(batch, left.length < manyFiles ? 1 : lanes, async (file, lane) => {
        const textBefore = texts.get(file.path);
        if (!(await this.tryToRecord({ file, readAfter }, calls, textBefore, lane))) isComplete = false;
      });
    }
    return isComplete;
  }

  /** Records files that are too many to be listed, so that a restore knows that they are not the user's. */
  private recordUnlisted(files: readonly ChangedFile[], { hasWriter, paths }: ScannedCalls, readAfter: number): void {
    const named = new Set(paths);
    const found = files.filter((file) => !this.isRecorded(file));
    for (const file of found) this.recordedByPath.set(file.path, file);
    const byCalls = found.filter(
      (file) =>
        (hasWriter || named.has(file.path)) &&
        !this.isSavedByOthers(file) &&
        !this.ports.othersWrites.isKnown(file.path, [stateId(file.after)], readAfter),
    );
    const all = byCalls.map(({ path }) => path);
    for (const batch of splitIntoBatches(all, () => 0, { maxItems: batchFiles, maxBytes: batchBytes })) {
      this.ports.record({ type: 'unlisted', turn: this.turn, paths: [...batch] });
    }
  }

  private isSavedByOthers({ path }: ChangedFile): boolean {
    return this.savesByOthers.textSavedSince(path, undefined) !== undefined || this.stateSavedByOthersByPath.has(path);
  }

  /** Returns the calls with resolved paths. Calls of a conversation that was reopened during the turn are unknown. */
  private async resolveCalls({ hasWriter, paths }: ScannedCalls): Promise<ScannedCalls> {
    const { editor } = this.ports;
    const resolved = await Promise.all(paths.map((path) => editor.realPathOf(path).catch(() => path)));
    return { hasWriter: hasWriter || this.isFromRecord, paths: [...paths, ...resolved] };
  }

  private async tryToRecord(
    read: Omit<FoundChange, 'author'>,
    calls: ScannedCalls,
    textBefore: FileText,
    lane: Lane,
  ): Promise<boolean> {
    try {
      await this.recordChange(read, calls, textBefore, lane);
      return true;
    } catch (error) {
      this.ports.log.debug(`Cannot track a changed file: ${messageOf(error)}`);
      return false;
    }
  }

  private isRecorded({ after, path }: ChangedFile): boolean {
    const recorded = this.recordedByPath.get(path);
    return recorded !== undefined && isSameState(recorded.after, after);
  }

  private async recordChange(
    { file, readAfter }: Omit<FoundChange, 'author'>,
    calls: ScannedCalls,
    textBefore: FileText,
    lane: Lane,
  ): Promise<void> {
    const { editor, othersWrites, queue } = this.ports;
    const kind = kindOf(file);
    // A symbolic link is not followed.
    const path = kind === 'symlink' ? file.path : await editor.realPathOf(file.path);
    const isNamed = calls.paths.includes(path) || calls.paths.includes(file.path);
    const author: ChangeAuthor = isNamed ? 'agent' : calls.hasWriter ? 'command' : 'others';
    const paths = [file.path, kind === 'symlink' ? await placeOf(editor, path) : path] as const;
    await queue.run(path, async () => {
      const found = { file, author, readAfter };
      const now = kind === undefined ? await this.ports.texts.readSavedText(path) : undefined;
      // The files that are read now wait for the same read of what other windows have told.
      lane.free();
      if (now?.text === undefined || textBefore === undefined) {
        const isByOthers = await othersWrites.isByOthers(paths, [stateId(file.after)], readAfter);
        await lane.runInTurn(() => this.recordState(found, kind ?? 'binary', isByOthers));
      } else if (!(await othersWrites.isByOthers(paths, [now.id, stateId(file.after)], readAfter))) {
        await lane.runInTurn(() => this.recordText(path, found, textBefore, now));
      }
    });
  }

  private recordState({ author, file, readAfter }: FoundChange, kind: NoTextDiffReason, isByOthers: boolean): void {
    const { authors, states } = this.ports;
    const { after, path } = file;
    const saved = this.stateSavedByOthersByPath.get(path);
    const isSaved = saved !== undefined && saved !== 'other' && isSameState(saved, after);
    if (author === 'others') this.stateSavedByOthersByPath.set(path, after);
    else if (!isSaved && !isByOthers) {
      states.record(this.turn, file, kind, this.isFromRecord, readAfter);
      if (author === 'command') authors.record(path);
    }
    this.recordedByPath.set(path, file);
  }

  private async recordText(
    path: string,
    { author, file, readAfter }: FoundChange,
    textBefore: FileText,
    now: CurrentFileText,
  ): Promise<void> {
    const { ledger, states, texts } = this.ports;
    if (author === 'others' && this.lastAgentTextId(path) !== now.id) {
      this.savesByOthers.setLastKnownText(path, await texts.storeText(now), this.lastAgentTextId(path));
      if (!now.isDirty) this.recordedByPath.set(file.path, file);
      return;
    }
    const saved = await this.recordUnseenWrites(path, textBefore, author, readAfter);
    // This is the user's own edit. Earlier changes of the agent are already recorded.
    if (saved !== undefined && saved === now.id) return;
    const written = this.lastAgentTextId(path);
    if (written === undefined || written !== now.id) {
      const known = saved === undefined ? written : saved;
      const base = known === undefined ? await texts.storeTextNotFromDisk(textBefore) : known;
      await this.recordWrite(path, base, now, author, readAfter);
    }
    if (now.isDirty) return;
    const kind = kindBesideText(file, textBefore, now.text);
    if (kind !== undefined || file.renamedFrom !== undefined) {
      states.record(this.turn, { ...file, path }, kind, this.isFromRecord, readAfter);
      if (author === 'command') this.ports.authors.record(path);
    }
    // Otherwise the file is checked again, because an editor may still have the earlier text.
    if (kind !== undefined || ledger.currentTurnTextId(path) === now.id) this.recordedByPath.set(file.path, file);
  }

  /** Records changes of shell commands from before others saved the file. Returns the saved text. */
  private async recordUnseenWrites(
    path: string,
    textBefore: FileText,
    author: ChangeAuthor,
    readAfter: number,
  ): Promise<FileTextId> {
    const { savesByOthers } = this;
    const { texts } = this.ports;
    const agentsText = this.lastAgentTextId(path);
    const saved = savesByOthers.textSavedSince(path, agentsText);
    for (const { after, before } of savesByOthers.takeUnseenWrites(path, agentsText)) {
      const base = before === undefined ? await texts.storeTextNotFromDisk(textBefore) : before;
      await this.recordWrite(
        path,
        base,
        { id: after, text: await texts.textOf(after), isDirty: false },
        author,
        readAfter,
      );
    }
    if (saved !== undefined) savesByOthers.setLastKnownText(path, saved, this.lastAgentTextId(path));
    return saved;
  }

  private async recordWrite(
    path: string,
    base: FileTextId,
    written: CurrentFileText,
    author: ChangeAuthor,
    readAfter: number,
  ): Promise<void> {
    const { isFromRecord } = this;
    const isAgentsWork = ({ isDirty }: CurrentFileText): boolean => !isDirty && !isFromRecord;
    const isRecorded = await this.ports.ledger.recordWrite({ path, base, written, isAgentsWork, readAfter });
    if (isRecorded && author === 'command') this.ports.authors.record(path);
  }

  /** Returns the agent's last text of the file in this turn. */
  private lastAgentTextId(path: string): FileTextId {
    const { ledger } = this.ports;
    return ledger.hasTurnWritten(path) ? ledger.currentTurnTextId(path) : undefined;
  }

  /** Stores the text of a file. If the file has no text, keeps its state instead. */
  private async storeBase(path: string, file: CurrentFileText): Promise<FileTextId> {
    if (file.text === undefined) this.stateSavedByOthersByPath.set(path, await this.currentState(path));
    return await this.ports.texts.storeText(file);
  }

  /** Returns the current state of a file. Never rejects. */
  private async currentState(path: string): Promise<CurrentFileState> {
    const checkpoint = checkpointFor(path, this.folderCheckpoints);
    if (!checkpoint) return undefined;
    const states = await this.ports.checkpoints?.currentStates([{ path, checkpoint }]).catch(() => undefined);
    return states?.get(path);
  }
}
