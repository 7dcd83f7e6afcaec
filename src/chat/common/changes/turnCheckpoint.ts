import type { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FolderCheckpoint, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import type { ChangeLedger } from './changeLedger';
import type { FileTexts, TextId } from './fileTexts';

interface TurnCheckpointPorts {
  /** Undefined where nothing is kept. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly editor: Pick<EditorPort, 'resolve'>;
  readonly texts: FileTexts;
  readonly ledger: ChangeLedger;
  /** By path: one look at a file at a time. */
  readonly queue: KeyedQueue;
  readonly record: (record: NewRecord) => void;
  readonly log: Logger;
}

/** Paths that are named in a notice. */
const maxNames = 50;

/**
 * The workspace as the prompt of the running turn found it. What differs from it was written in the turn, by whatever program:
 * all that is known neither as the editor port's nor as the user's work is noted as the agent's.
 */
export class TurnCheckpoint {
  private folders: readonly FolderCheckpoint[] = [];
  /** What was saved in editors of this window during the turn, not by this agent. */
  private readonly saved = new Map<string, TextId>();
  /** Sentences that the conversation has shown already. */
  private readonly shown = new Set<string>();
  private isRestored = false;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(private readonly ports: TurnCheckpointPorts) {}

  restore(record: LogRecord): void {
    if (record.type === 'notice') this.shown.add(record.text);
    if (record.type === 'changed') this.folders = [];
    if (record.type !== 'checkpoint') return;
    this.folders = record.folders;
    this.isRestored = true;
  }

  /** Before a prompt is sent. Says once in the conversation what is not covered. @throws Error when `signal` fires */
  async begin(turn: number, signal: AbortSignal): Promise<void> {
    const { checkpoints, record } = this.ports;
    if (!checkpoints) return;
    await this.sweeping;
    const { folders, problems, uncovered } = await checkpoints.take(`Turn ${turn}`, signal);
    this.folders = folders;
    this.isRestored = false;
    this.saved.clear();
    if (folders.length > 0) record({ type: 'checkpoint', turn, folders: [...folders] });
    for (const problem of problems) {
      this.notice(`Changes by shell commands can’t be shown or undone. ${problem}`);
    }
    if (uncovered.length > 0) this.notice('Some files and folders are not covered by checkpoints.', uncovered);
  }

  /** A file was saved in this window, and not for this agent. Never rejects. */
  async savedByOthers(path: string): Promise<void> {
    if (this.folders.length === 0) return;
    const { texts } = this.ports;
    this.saved.set(path, await texts.keep(await texts.read(path)));
  }

  /** Notes what the turn has changed until now. One sweep runs at a time. Never rejects. */
  async sweep(): Promise<void> {
    this.sweeping = this.sweeping.then(() =>
      this.sweepNow().catch((error: unknown) =>
        this.ports.log.info(`The changes of a turn were not found: ${messageOf(error)}`),
      ),
    );
    await this.sweeping;
  }

  /** Notes the last changes of the turn. Never rejects. */
  async end(turn: number): Promise<void> {
    if (this.folders.length === 0) return;
    await this.sweep();
    // What is written later is not of this turn, also when the conversation is opened again.
    this.ports.record({ type: 'checkpoint', turn, folders: [] });
    this.folders = [];
  }

  /** What was restored is of a turn that has ended: what differs now was written since. */
  forget(): void {
    this.folders = [];
  }

  private async sweepNow(): Promise<void> {
    const { folders } = this;
    const { checkpoints, editor, log, queue } = this.ports;
    if (!checkpoints || folders.length === 0) return;
    for (const { path: found } of await checkpoints.changedSince(folders)) {
      try {
        const path = await editor.resolve(found);
        await queue.run(path, () => this.note(path, found, folders, checkpoints));
      } catch (error) {
        log.debug(`A changed file was not looked at: ${messageOf(error)}`);
      }
    }
  }

  private async note(
    path: string,
    found: string,
    folders: readonly FolderCheckpoint[],
    checkpoints: WorkspaceCheckpoints,
  ): Promise<void> {
    const { ledger, texts } = this.ports;
    const now = await texts.read(path);
    if (ledger.isOthersWrite(path, now.id)) return;
    const known = ledger.hasTurnWritten(path) ? ledger.turnText(path) : undefined;
    if (known !== undefined && known === now.id) return;
    const saved = this.saved.get(path);
    // The user's own work: what the agent wrote before it is known already.
    if (saved !== undefined && saved === now.id) return;
    const base = saved ?? known ?? (await texts.put(await checkpoints.textAt(folders, found)));
    const { isRestored } = this;
    await ledger.note({ path, base, isSure: ({ isDirty }) => !isDirty && !isRestored });
  }

  private notice(text: string, paths: readonly string[] = []): void {
    if (this.shown.has(text)) return;
    this.shown.add(text);
    const more = paths.length > maxNames ? [`… and ${paths.length - maxNames} more`] : [];
    const details = paths.length === 0 ? {} : { details: [...paths.slice(0, maxNames), ...more].join('\n') };
    this.ports.record({ type: 'notice', level: 'info', text, ...details });
  }
}
