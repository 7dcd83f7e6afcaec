import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { ChatFileAccess, PendingSave } from '../chatFileAccess';
import type { CurrentFileText, FileTexts } from '../changes/fileTexts';
import type { TurnCheckpoint } from '../changes/turnCheckpoint';

interface OthersSaveWatchDeps {
  readonly files: Pick<ChatFileAccess, 'onDidSave' | 'onWillSave'>;
  readonly clock: Clock;
  readonly fileTexts: Pick<FileTexts, 'readFromDisk'>;
  readonly turnCheckpoint: Pick<TurnCheckpoint, 'hasCheckpoint' | 'recordOthersSave'>;
  readonly resolvePath: (path: string) => Promise<string>;
  /** Whether the agent or the conversation writes the file, so that its earlier text is known. */
  readonly isOwnWrite: (path: string) => boolean;
  readonly isAgentsWrite: (path: string) => boolean;
  /** Runs a task when no other work on the file is running. Never rejects. */
  readonly runForFile: (path: string, task: (path: string) => Promise<void>) => Promise<void>;
}

/** Time limit for reading a file before it is saved. VS Code skips listeners that delay saving for long. */
const readTimeoutMs = 300;

/** Records saves during a turn that the agent did not make, and the text on disk immediately before each save. */
export class SavesByOthersTracker implements Disposable {
  private readonly disposables = new DisposableStore();
  /** The files on disk before saves that are in progress, by path as VS Code gives it. */
  private readonly fileBeforeSaveByPath = new Map<string, Promise<CurrentFileText | undefined>>();

  constructor(private readonly deps: OthersSaveWatchDeps) {
    const { files } = deps;
    this.disposables.add(files.onWillSave((save) => this.handleSaveStart(save)));
    this.disposables.add(files.onDidSave((path) => void this.handleSave(path)));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private handleSaveStart({ path, waitUntil }: PendingSave): void {
    if (!this.deps.turnCheckpoint.hasCheckpoint) return;
    const reading = withDeadline(this.deps.clock, 'reading before a save', readTimeoutMs, () =>
      this.readBeforeSave(path),
    ).catch(() => undefined);
    this.fileBeforeSaveByPath.set(path, reading);
    waitUntil(reading.then(() => undefined));
  }

  /** Reads a file before it is saved. Never rejects. */
  private async readBeforeSave(requestedPath: string): Promise<CurrentFileText | undefined> {
    const { fileTexts, isOwnWrite, resolvePath } = this.deps;
    return isOwnWrite(await resolvePath(requestedPath)) ? undefined : await fileTexts.readFromDisk(requestedPath);
  }

  private async handleSave(requestedPath: string): Promise<void> {
    const { fileTexts, isAgentsWrite, runForFile, turnCheckpoint } = this.deps;
    const before = this.fileBeforeSaveByPath.get(requestedPath);
    this.fileBeforeSaveByPath.delete(requestedPath);
    if (!turnCheckpoint.hasCheckpoint) return;
    // The file is read now, because a command may write to it while other work on it is running.
    const saved = fileTexts.readFromDisk(requestedPath);
    await runForFile(requestedPath, async (path) => {
      // The editor port also saves texts that the agent writes. These saves are not by others.
      if (!isAgentsWrite(path)) await turnCheckpoint.recordOthersSave(path, await saved, await before);
    });
  }
}
