import type { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FolderCheckpoint, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import type { ChangeLedger } from './changeLedger';
import type { FileTexts, FileTextId } from './fileTexts';

interface TurnCheckpointPorts {
  /** Undefined if there are no checkpoints. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly editor: Pick<EditorPort, 'resolve'>;
  readonly texts: FileTexts;
  readonly ledger: ChangeLedger;
  /** Serializes the work on each file, by path. */
  readonly queue: KeyedQueue;
  readonly record: (record: NewRecord) => void;
  readonly log: Logger;
}

/** Paths named in a notice. */
const maxNames = 50;

/**
 * The checkpoint of the running turn. Files that differ from it were written during the turn, by any program. Each one that
 * neither the user nor another conversation has written is recorded as the agent's change.
 */
export class TurnCheckpoint {
  private folders: readonly FolderCheckpoint[] = [];
  /** Texts saved during the turn in editors of this window, but not by this agent. */
  private readonly otherSaveByPath = new Map<string, FileTextId>();
  /** Notices that the conversation has shown already. */
  private readonly shownNotices = new Set<string>();
  private isRestored = false;
  private lastSweep: Promise<void> = Promise.resolve();

  constructor(private readonly ports: TurnCheckpointPorts) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'notice') this.shownNotices.add(record.text);
    if (record.type === 'changed') this.folders = [];
    if (record.type !== 'checkpoint') return;
    this.folders = record.folders;
    this.isRestored = true;
  }

  /** Takes the checkpoint. Adds a notice, once per conversation, for what it does not cover. @throws Error when `signal` fires */
  async begin(turn: number, signal: AbortSignal): Promise<void> {
    const { checkpoints, record } = this.ports;
    if (!checkpoints) return;
    await this.lastSweep;
    const { folders, problems, uncovered } = await checkpoints.take(`Turn ${turn}`, signal);
    this.folders = folders;
    this.isRestored = false;
    this.otherSaveByPath.clear();
    if (folders.length > 0) record({ type: 'checkpoint', turn, folders: [...folders] });
    for (const problem of problems) {
      this.addNotice(`Changes by shell commands can’t be shown or undone. ${problem}`);
    }
    if (uncovered.length > 0) this.addNotice('Some files and folders are not covered by checkpoints.', uncovered);
  }

  /** Records that a file was saved in this window by someone other than this agent. Never rejects. */
  async recordOthersSave(path: string): Promise<void> {
    if (this.folders.length === 0) return;
    const { texts } = this.ports;
    this.otherSaveByPath.set(path, await texts.storeText(await texts.readFile(path)));
  }

  /** Records the changes of the turn so far. Sweeps run one at a time. Never rejects. */
  async sweep(): Promise<void> {
    this.lastSweep = this.lastSweep.then(() =>
      this.sweepNow().catch((error: unknown) =>
        this.ports.log.info(`Cannot find the changes of a turn: ${messageOf(error)}`),
      ),
    );
    await this.lastSweep;
  }

  /** Records the last changes of the turn. Never rejects. */
  async end(turn: number): Promise<void> {
    if (this.folders.length === 0) return;
    await this.sweep();
    // Later writes do not belong to this turn, even if the conversation is reopened.
    this.ports.record({ type: 'checkpoint', turn, folders: [] });
    this.folders = [];
  }

  /** Drops a restored checkpoint whose turn has ended. */
  forget(): void {
    this.folders = [];
  }

  private async sweepNow(): Promise<void> {
    const { folders } = this;
    const { checkpoints, editor, log, queue } = this.ports;
    if (!checkpoints || folders.length === 0) return;
    for (const { path: changedPath } of await checkpoints.changedSince(folders)) {
      try {
        const path = await editor.resolve(changedPath);
        await queue.run(path, async () => {
          await this.recordChange(path, () => checkpoints.textAt(folders, changedPath));
        });
      } catch (error) {
        log.debug(`Cannot track a changed file: ${messageOf(error)}`);
      }
    }
  }

  private async recordChange(path: string, textBefore: () => Promise<string | null | undefined>): Promise<void> {
    const { ledger, texts } = this.ports;
    const now = await texts.readFile(path);
    if (ledger.isOthersWrite(path, now.id)) return;
    const written = ledger.hasTurnWritten(path) ? ledger.currentTurnText(path) : undefined;
    if (written !== undefined && written === now.id) return;
    const saved = this.otherSaveByPath.get(path);
    // The user's own edit. Earlier changes of the agent are recorded already.
    if (saved !== undefined && saved === now.id) return;
    const known = saved === undefined ? written : saved;
    const base = known === undefined ? await texts.storeOtherText(await textBefore()) : known;
    const { isRestored } = this;
    await ledger.recordWrite({ path, base, isAgentsWork: ({ isDirty }) => !isDirty && !isRestored });
  }

  private addNotice(text: string, paths: readonly string[] = []): void {
    if (this.shownNotices.has(text)) return;
    this.shownNotices.add(text);
    const more = paths.length > maxNames ? [`… and ${paths.length - maxNames} more`] : [];
    const details = paths.length === 0 ? {} : { details: [...paths.slice(0, maxNames), ...more].join('\n') };
    this.ports.record({ type: 'notice', level: 'info', text, ...details });
  }
}
