import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { ChatFileAccess, PendingSave } from '../changes/chatFileAccess';
import type { CurrentFile, FileTexts } from '../changes/fileTexts';
import type { TurnCheckpoint } from '../changes/turnCheckpoint';

interface OthersSaveWatchDeps {
  readonly files: Pick<ChatFileAccess, 'onDidSave' | 'onWillSave'>;
  readonly clock: Clock;
  readonly fileTexts: Pick<FileTexts, 'readDisk'>;
  readonly turnCheckpoint: Pick<TurnCheckpoint, 'isRunning' | 'recordOthersSave'>;
  readonly resolvePath: (path: string) => Promise<string>;
  /** Whether the agent or the conversation itself writes the file, so that its earlier text is known. */
  readonly isOwnWrite: (path: string) => boolean;
  /** Whether the agent writes the file. */
  readonly isAgentsWrite: (path: string) => boolean;
  /** Runs a task when no other work on the file is done. Never rejects. */
  readonly runForFile: (path: string, task: (path: string) => Promise<void>) => Promise<void>;
}

/** VS Code skips the listeners of other extensions if saving is delayed for long. */
const readTimeoutMs = 300;

/** Records saves during a turn that are not the agent's, with the text on disk right before each. */
export class OtherSaveTracker implements Disposable {
  private readonly disposables = new DisposableStore();
  /** What the disk had before running saves, by path as in VS Code. */
  private readonly diskByPath = new Map<string, Promise<CurrentFile | undefined>>();

  constructor(private readonly deps: OthersSaveWatchDeps) {
    const { files } = deps;
    this.disposables.add(files.onWillSave((save) => this.handleSaveStart(save)));
    this.disposables.add(files.onDidSave((path) => void this.handleSave(path)));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private handleSaveStart({ path, waitUntil }: PendingSave): void {
    if (!this.deps.turnCheckpoint.isRunning) return;
    const reading = withDeadline(this.deps.clock, 'reading before a save', readTimeoutMs, () =>
      this.readBeforeSave(path),
    ).catch(() => undefined);
    this.diskByPath.set(path, reading);
    waitUntil(reading.then(() => undefined));
  }

  /** Never rejects. */
  private async readBeforeSave(requested: string): Promise<CurrentFile | undefined> {
    const { fileTexts, isOwnWrite, resolvePath } = this.deps;
    return isOwnWrite(await resolvePath(requested)) ? undefined : await fileTexts.readDisk(requested);
  }

  private async handleSave(requested: string): Promise<void> {
    const { fileTexts, isAgentsWrite, runForFile, turnCheckpoint } = this.deps;
    const before = this.diskByPath.get(requested);
    this.diskByPath.delete(requested);
    if (!turnCheckpoint.isRunning) return;
    // Read now: a command may write the file while other work on it is done.
    const saved = fileTexts.readDisk(requested);
    await runForFile(requested, async (path) => {
      // The editor port also saves what the agent writes; that is not a save by others.
      if (!isAgentsWrite(path)) await turnCheckpoint.recordOthersSave(path, await saved, await before);
    });
  }
}
