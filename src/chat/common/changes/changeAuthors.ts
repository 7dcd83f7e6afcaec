import type { EventData, SessionEvent, ToolKind } from '../../../session/common/sessionEvents';
import type { FileChange } from '../../../transcript/common/entries';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import { reportedFileChanges } from './reportedFileChanges';

/**
 * Who may have made a change that a scan has found:
 * - `agent`: a call that has run has named the file;
 * - `command`: a call ran that can write any file, so it was the call or somebody else;
 * - `others`: no call ran that can write.
 *
 * Writes through the editor port are recorded when they happen, and are always the agent's.
 */
export type ChangeAuthor = 'agent' | 'command' | 'others';

interface ActiveCall {
  /** Whether calls of its kind can write files. */
  canWrite: boolean;
  /** Whether the call waits for an answer, and so does nothing. */
  approvalId: string | undefined;
  /** Whether it is certain that the call has run. An announced call can ask before it does. */
  hasRun: boolean;
  readonly paths: Set<string>;
}

/** The calls that can have made the changes that a scan finds. */
export interface ScannedCalls {
  readonly hasWriter: boolean;
  /** Paths that the calls have named, as the agent writes them. */
  readonly paths: readonly string[];
}

export interface CallScan {
  /** Returns the calls until now that can have made what the scan has found. */
  calls(): ScannedCalls;
  /** Call when the scan has missed changes, so that the next scan can attribute them. */
  fail(): void;
}

const harmlessKinds: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);

/** Tracks which calls of the agent have run since the last scan. */
export class CallActivity {
  private readonly running = new Map<string, ActiveCall>();
  private readonly endedById = new Map<string, ActiveCall>();
  /** Commands that Backline runs for the agent. Their entries come later. */
  private readonly commands = new Set<ActiveCall>();
  /** Calls that have run since the last complete scan began, also those that have ended since. */
  private ranSinceScan = new Set<ActiveCall>();

  observeEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'tool:pre':
        this.endedById.delete(event.data.call_id ?? '');
        this.handleReport(event.data);
        break;
      case 'tool:update':
        this.handleUpdate(event.data);
        break;
      case 'tool:post':
      case 'tool:error':
        this.handleEnd(event.data.call_id);
        break;
      case 'approval:required':
        this.handleQuestion(event.data);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.handleAnswer(event.data.approval_id, event.event === 'approval:granted');
        break;
      default:
    }
  }

  /** Call before a command is started, and the result when it has ended. */
  beginCommand(): () => void {
    const command: ActiveCall = { canWrite: true, approvalId: undefined, hasRun: true, paths: new Set() };
    this.commands.add(command);
    this.ranSinceScan.add(command);
    return () => void this.commands.delete(command);
  }

  /** Begins to look for changes. */
  beginScan(): CallScan {
    const before = this.ranSinceScan;
    const during = new Set(
      [...this.running.values(), ...this.commands].filter(({ approvalId }) => approvalId === undefined),
    );
    this.ranSinceScan = during;
    return {
      calls: () => {
        const writers = [...new Set([...before, ...during])].filter(({ canWrite }) => canWrite);
        return { hasWriter: writers.length > 0, paths: writers.flatMap(({ paths }) => [...paths]) };
      },
      fail: () => {
        for (const call of before) this.ranSinceScan.add(call);
      },
    };
  }

  /** Forgets the calls of an earlier turn. */
  clear(): void {
    this.running.clear();
    this.commands.clear();
    this.endedById.clear();
    this.ranSinceScan.clear();
  }

  private handleUpdate(data: EventData<'tool:update'>): void {
    const { call_id: id, kind, result, status } = data;
    const ended = this.endedById.get(id);
    if (ended) {
      this.addReport(ended, kind, data);
      // The call has worked on after its end.
      if (result) this.ranSinceScan.add(ended);
      return;
    }
    this.handleReport(data);
    const call = this.running.get(id);
    if (call && call.approvalId === undefined && (result || (status !== undefined && status !== 'pending'))) {
      call.hasRun = true;
    }
    if (result) this.handleEnd(id);
  }

  private handleReport({ call_id: id = '', kind, ...data }: EventData<'tool:pre' | 'tool:update'>): void {
    const known = this.running.get(id);
    const call = known ?? { canWrite: false, approvalId: undefined, hasRun: false, paths: new Set<string>() };
    // A call without a kind can do anything.
    if (!known && kind === undefined) call.canWrite = true;
    this.addReport(call, kind, data);
    this.running.set(id, call);
    if (call.approvalId === undefined) this.ranSinceScan.add(call);
  }

  private addReport(
    call: ActiveCall,
    kind: ToolKind | undefined,
    data: Pick<EventData<'tool:pre' | 'tool:update'>, 'content' | 'input' | 'locations'>,
  ): void {
    if (kind !== undefined && !harmlessKinds.has(kind)) call.canWrite = true;
    for (const { path } of reportedFileChanges(kind ?? 'edit', data)) call.paths.add(path);
  }

  private handleEnd(id = ''): void {
    const call = this.running.get(id);
    if (call) this.endedById.set(id, call);
    this.running.delete(id);
  }

  private handleQuestion({ approval_id: approvalId, call_id: id }: EventData<'approval:required'>): void {
    const call = id === undefined ? undefined : this.running.get(id);
    if (!call) return;
    call.approvalId = approvalId;
    if (!call.hasRun) this.ranSinceScan.delete(call);
  }

  private handleAnswer(approvalId: string, isGranted: boolean): void {
    for (const [id, call] of this.running) {
      if (call.approvalId !== approvalId) continue;
      if (isGranted) {
        call.approvalId = undefined;
        call.hasRun = true;
        this.ranSinceScan.add(call);
      } else this.handleEnd(id);
    }
  }
}

/** Begins a command in each of these conversations. Call the result when it has ended. */
export function beginCommandIn(chats: readonly { readonly journal: JournalOfCalls }[]): () => void {
  const ends = chats.map(({ journal }) => journal.callActivity.beginCommand());
  return () => {
    for (const end of ends) end();
  };
}

interface JournalOfCalls {
  readonly callActivity: CallActivity;
}

/** Knows for which changed files of a conversation it is uncertain that the agent has made the change. */
export class ChangeAuthors {
  private readonly pathsByCommand = new Set<string>();
  /** The files of each undo for which it was uncertain before. */
  private readonly undoneById = new Map<string, readonly string[]>();

  constructor(private readonly append: (record: NewRecord) => void) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'attributed') this.pathsByCommand.add(record.path);
    else if (record.type === 'fileDecided') this.pathsByCommand.delete(record.path);
    else if (record.type === 'restored' && record.undid !== undefined) this.rememberForUndo(record.id, record.paths);
    else if (record.type === 'restoreUndone') this.bringBack(record.id);
  }

  record(path: string): void {
    this.pathsByCommand.add(path);
    this.append({ type: 'attributed', path, author: 'command' });
  }

  /** Call when the user has decided about the file. */
  forget(path: string): void {
    this.pathsByCommand.delete(path);
  }

  /** Call before the changes of these files are undone. */
  rememberForUndo(id: string, paths: readonly string[]): void {
    this.undoneById.set(
      id,
      paths.filter((path) => this.isByCommand(path)),
    );
  }

  /** Call when an undo was undone. */
  bringBack(id: string): void {
    for (const path of this.undoneById.get(id) ?? []) this.pathsByCommand.add(path);
    this.undoneById.delete(id);
  }

  isByCommand(path: string): boolean {
    return this.pathsByCommand.has(path);
  }

  /** Adds the authors to changes. */
  addTo(changes: readonly FileChange[]): FileChange[] {
    if (this.pathsByCommand.size === 0) return [...changes];
    return changes.map((change) => (this.isByCommand(change.path) ? { ...change, author: 'command' } : change));
  }
}
