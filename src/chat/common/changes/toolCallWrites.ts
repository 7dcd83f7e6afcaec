import type { EventData, SessionEvent } from '../../../session/common/sessionEvents';
import type { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { isRecord } from '../../../base/common/isRecord';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { ChangeLedger } from './changeLedger';
import type { FileTexts, FileTextId } from './fileTexts';
import {
  containsWrittenText,
  isAlreadyApplied,
  reportedFileChanges,
  type ReportedFileChange,
} from './reportedFileChanges';

interface ToolCallWritesPorts {
  readonly editor: Pick<EditorPort, 'realPathOf'>;
  readonly texts: FileTexts;
  readonly ledger: ChangeLedger;
  /** Whether a scan finds all changes of a file since the turn began, with the text from before them. */
  readonly isScanned: (path: string) => boolean;
  /** Runs the work on each file in sequence. Keyed by path. */
  readonly queue: KeyedQueue;
  readonly log: Logger;
}

interface Call {
  /** Undefined for what an approval asks about without naming a call. */
  readonly id: string | undefined;
  kind: string;
  state: 'running' | 'waiting' | 'denied' | 'done' | 'failed';
  approvalId: string | undefined;
  readonly watchedFiles: Map<string, WatchedFile>;
}

interface WatchedFile {
  /** Text before the call. Undefined if the call may have changed the file before it was read. */
  base: FileTextId;
  /** Whether others may have changed the file in the meantime. */
  isDoubtful: boolean;
  file: ReportedFileChange;
}

/**
 * Detects writes by tool calls that bypass the editor port. Reads a call's files when the call is announced, and again
 * when it has ended. Assumes that a failed or denied call has changed nothing. Leaves writes of which the earlier text was not read
 * to the scans of the turn, which know it.
 */
export class ToolCallWrites {
  private watchedCallById = new Map<string, Call>();
  /** Paths that were written through the editor port in this turn. Reports of tool calls about them are ignored. */
  private readonly pathsWrittenByEditor = new Set<string>();
  private readonly pendingWork = new Set<Promise<void>>();

  constructor(private readonly ports: ToolCallWritesPorts) {}

  observeEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'tool:pre':
        this.watchCall(event.data);
        break;
      case 'tool:update':
        if (event.data.result) this.handleCallEnd(event.data, event.data.result.success);
        else this.watchCall(event.data);
        break;
      case 'tool:post':
        this.handleCallEnd(event.data, event.data.result.success);
        break;
      case 'tool:error':
        // A call without a result may still have written files.
        if (!event.data.unfinished) this.handleCallEnd(event.data, false);
        break;
      case 'approval:required':
        this.markWaiting(event.data);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.handleApprovalAnswer(event.data.approval_id, event.event === 'approval:granted');
        break;
      default:
    }
  }

  /** Returns the call that is writing the file through the editor port: the only one that has named it and not ended. */
  callWriting(path: string): string | undefined {
    const active = [...this.watchedCallById.values()].filter(
      ({ state, watchedFiles }) => state === 'running' && watchedFiles.has(path),
    );
    return active.length === 1 ? active[0]?.id : undefined;
  }

  handleEditorWrite(path: string): void {
    this.pathsWrittenByEditor.add(path);
    for (const { watchedFiles } of this.watchedCallById.values()) watchedFiles.delete(path);
  }

  /** Sets the earlier text of a file that something other than a call has changed. */
  rebaseWatchedFile(path: string, base: FileTextId): void {
    for (const { watchedFiles } of this.watchedCallById.values()) {
      const watched = watchedFiles.get(path);
      if (watched) watched.base = base;
    }
  }

  /** Reads the files of the waiting call again, immediately before it may run. Never rejects. */
  async beforeAnswer(approvalId: string): Promise<void> {
    await this.waitForPendingWork();
    for (const call of this.watchedCallById.values()) {
      if (call.state !== 'waiting' || call.approvalId !== approvalId) continue;
      call.state = 'running';
      const { texts } = this.ports;
      for (const [path, watched] of call.watchedFiles) {
        if (watched.base !== undefined) watched.base = await texts.storeText(await texts.readWithUnsavedText(path));
      }
    }
  }

  /** Records changes of completed calls that came to the disk after the calls ended. Call within the path's queue. */
  async recordLateWrites(path: string): Promise<void> {
    for (const { id, state, watchedFiles } of this.watchedCallById.values()) {
      const watched = watchedFiles.get(path);
      if (watched && state === 'done' && (await this.recordLateWrite(path, watched, id))) watchedFiles.delete(path);
    }
  }

  /** Records remaining changes at the end of the turn, except for those that a scan can find. Never rejects. */
  async endTurn(): Promise<void> {
    await this.waitForPendingWork();
    await this.recordRemainingWrites(() => true);
    this.pathsWrittenByEditor.clear();
  }

  /** Records what the last scan of the turn has not found, such as changes of ignored files. Call after it. Never rejects. */
  async afterLastScan(): Promise<void> {
    await this.recordRemainingWrites(({ base }) => base === undefined);
    this.watchedCallById.clear();
  }

  private async recordRemainingWrites(isWanted: (watched: WatchedFile) => boolean): Promise<void> {
    for (const { id, state, watchedFiles } of this.watchedCallById.values()) {
      if (state !== 'running' && state !== 'done') continue;
      for (const [path, watched] of watchedFiles) {
        if (isWanted(watched) && !this.ports.ledger.hasTurnWritten(path)) await this.recordLateWrite(path, watched, id);
      }
    }
  }

  private async waitForPendingWork(): Promise<void> {
    await Promise.all(this.pendingWork);
  }

  private watchCall(data: EventData<'tool:pre' | 'tool:update'>): void {
    const call = this.getOrCreateCall(data);
    this.watchFiles(call, reportedFileChanges(call.kind, data));
  }

  private watchFiles(call: Call, files: readonly ReportedFileChange[]): void {
    for (const file of files) this.runForFile(file.path, (path) => this.watchFile(call, path, file));
  }

  /** Marks the call as waiting. It does nothing until its approval is answered. */
  private markWaiting(data: EventData<'approval:required'>): void {
    const { approval_id: approvalId, call_id, context = {} } = data;
    const call = this.getOrCreateCall({ call_id }, `approval ${approvalId}`);
    const { input, kind, paths } = context;
    if (typeof kind === 'string') {
      const locations = (Array.isArray(paths) ? paths : []).flatMap((path) =>
        typeof path === 'string' ? [{ path }] : [],
      );
      this.watchFiles(call, reportedFileChanges(kind, { locations }));
      if (isRecord(input)) this.watchFiles(call, reportedFileChanges(kind, { input }));
    }
    call.state = 'waiting';
    call.approvalId = approvalId;
  }

  private handleCallEnd(data: EventData<'tool:post' | 'tool:error' | 'tool:update'>, isDone: boolean): void {
    const call = this.getOrCreateCall(data);
    call.state = isDone ? 'done' : 'failed';
    if (isDone)
      this.recordWrites(call, reportedFileChanges(call.kind, { content: data.content, locations: data.locations }));
    else call.watchedFiles.clear();
  }

  private getOrCreateCall({ call_id, kind }: Pick<EventData<'tool:pre'>, 'call_id' | 'kind'>, key = ''): Call {
    const id = call_id ?? key;
    const call = this.watchedCallById.get(id) ?? {
      id: call_id,
      kind: 'other',
      state: 'running',
      approvalId: undefined,
      watchedFiles: new Map(),
    };
    this.watchedCallById.set(id, call);
    call.kind = kind ?? call.kind;
    return call;
  }

  /** Handles an answer. If the call is still waiting, another client has answered, and it may already be running. */
  private handleApprovalAnswer(approvalId: string, isGranted: boolean): void {
    for (const call of this.watchedCallById.values()) {
      if (call.approvalId !== approvalId || (call.state !== 'waiting' && call.state !== 'running')) continue;
      if (!isGranted) {
        call.state = 'denied';
      } else if (call.state === 'waiting') {
        call.state = 'running';
        for (const [name, watched] of call.watchedFiles)
          this.runForFile(name, (path) => this.markDoubtfulIfFileChanged(path, watched));
      }
    }
  }

  private async markDoubtfulIfFileChanged(path: string, watched: WatchedFile): Promise<void> {
    if ((await this.ports.texts.readWithUnsavedText(path)).id !== watched.base) watched.isDoubtful = true;
  }

  private async watchFile(call: Call, path: string, file: ReportedFileChange): Promise<void> {
    if (this.pathsWrittenByEditor.has(path)) return;
    const known = call.watchedFiles.get(path);
    if (known) {
      known.file = { ...known.file, ...file };
      return;
    }
    // The file was reported only after the end of the call, so the earlier text is unknown.
    if (call.state === 'failed') return;
    await this.recordLateWrites(path);
    const now = await this.ports.texts.readWithUnsavedText(path);
    const isLate =
      call.state === 'done' ||
      now.text === undefined ||
      isAlreadyApplied(now.text, file) ||
      this.hasUnrecordedWrite(path);
    call.watchedFiles.set(path, { base: isLate ? undefined : now.id, isDoubtful: false, file });
    if (!isLate) await this.ports.texts.storeText(now);
  }

  /** Whether an earlier call has written the file, and a scan will record that. */
  private hasUnrecordedWrite(path: string): boolean {
    return [...this.watchedCallById.values()].some(({ state, watchedFiles }) => {
      const watched = watchedFiles.get(path);
      return state === 'done' && watched !== undefined && this.isLeftToScan(path, watched.base);
    });
  }

  private isLeftToScan(path: string, base: FileTextId): boolean {
    return base === undefined && this.ports.isScanned(path) && !this.ports.ledger.hasTurnWritten(path);
  }

  private recordWrites(call: Call, files: readonly ReportedFileChange[]): void {
    this.watchFiles(call, files);
    const ending = this.waitForPendingWork().then(async () => {
      for (const [path, watched] of call.watchedFiles) {
        await this.ports.queue.run(path, async () => {
          if (await this.recordWrite(path, watched, call.id)) call.watchedFiles.delete(path);
        });
      }
    });
    this.track(ending);
  }

  private async recordWrite(path: string, watched: WatchedFile, callId: string | undefined): Promise<boolean> {
    const { ledger, texts } = this.ports;
    const now = await texts.readWithUnsavedText(path);
    if (watched.base === now.id && isAlreadyApplied(now.text ?? null, watched.file)) watched.base = undefined;
    if (this.isLeftToScan(path, watched.base)) return false;
    return await ledger.recordWrite({
      path,
      base: watched.base,
      callId,
      // Agents write to disk, so unsaved changes are changes of the user.
      isAgentsWork: ({ isDirty, text }) =>
        !watched.isDoubtful && !isDirty && containsWrittenText(text ?? null, watched.file) !== false,
    });
  }

  /**
   * Records changes that appear after the call. They are the agent's if the file has the text that the call reported.
   */
  private async recordLateWrite(path: string, watched: WatchedFile, callId: string | undefined): Promise<boolean> {
    if (this.isLeftToScan(path, watched.base)) return false;
    return await this.ports.ledger.recordWrite({
      path,
      base: watched.base,
      callId,
      isAgentsWork: ({ isDirty, text }) =>
        !watched.isDoubtful && !isDirty && containsWrittenText(text ?? null, watched.file) === true,
    });
  }

  private runForFile(requestedPath: string, task: (path: string) => Promise<void>): void {
    const { editor, queue } = this.ports;
    this.track(editor.realPathOf(requestedPath).then((path) => queue.run(path, () => task(path))));
  }

  private track(work: Promise<void>): void {
    const { log } = this.ports;
    const settled = work
      .catch((error: unknown) => log.debug(`Cannot track a file that an agent writes: ${messageOf(error)}`))
      .finally(() => this.pendingWork.delete(settled));
    this.pendingWork.add(settled);
  }
}
