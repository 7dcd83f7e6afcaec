import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { ReviewSource } from '../common/review/reviewSource';
import type { WorkspaceCheckpoints } from '../common/workspaceCheckpoints';
import { FolderCheckpoints } from '../node/folderCheckpoints';
import type { CheckpointStorageOptions } from '../node/storage/checkpointPlaces';
import { AgentChangeViews } from './review/agentChangeViews';

interface WindowChangesDeps extends FeatureContext, CheckpointStorageOptions {
  /** Absolute paths of the current workspace folders. */
  readonly folders: () => readonly string[];
  /**
   * Whether `backline.exclude` matches a file, given by its absolute path and its path relative to its workspace
   * folder.
   */
  readonly excludes: (path: string, relativePath: string) => boolean;
  /** Decodes bytes to the same text as the editor port. Rejects if they are not text. */
  readonly decode: (bytes: Uint8Array, path: string) => Promise<string>;
}

/** The checkpoints and the review of changes of a window. They are a separate bundle, which is loaded with the chat. */
export class WindowChanges implements Disposable {
  private readonly folderCheckpoints: FolderCheckpoints | undefined;
  private review: AgentChangeViews | undefined;

  constructor(private readonly deps: WindowChangesDeps) {
    const { settings } = deps;
    if (deps.folders().length === 0 || !settings.checkpointsEnabled()) return;
    const retention = () => settings.checkpointRetention();
    const isTrusted = () => vscode.workspace.isTrusted;
    this.folderCheckpoints = new FolderCheckpoints({ ...deps, retention, isTrusted });
  }

  /** Undefined if checkpoints are turned off or there is no workspace. */
  get checkpoints(): WorkspaceCheckpoints | undefined {
    return this.folderCheckpoints;
  }

  showReview(source: ReviewSource): void {
    this.review = new AgentChangeViews({ ...this.deps, source, messages: new Messages(this.deps.log) });
    this.review.start();
  }

  /** Cancels running work. Never rejects. */
  async stop(): Promise<void> {
    await this.folderCheckpoints?.stop();
  }

  dispose(): void {
    this.review?.dispose();
  }
}
