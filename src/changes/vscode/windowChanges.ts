import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import { ReviewedMarks, type ReviewProgress } from '../common/review/reviewedMarks';
import type { ReviewSource } from '../common/review/reviewSource';
import type { WorkspaceCheckpoints } from '../common/workspaceCheckpoints';
import { FolderCheckpoints } from '../node/folderCheckpoints';
import { NodeFiles } from '../../base/node/filePort';
import { ReviewedKeyFiles, shortHash } from '../node/storage/reviewedKeyFiles';
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
  /** Absolute path of the folder for what the user has reviewed, which all windows share. */
  readonly reviewedFolder: string;
  /** Decodes bytes to the same text as the editor port. Rejects if they are not text. */
  readonly decode: (bytes: Uint8Array, path: string) => Promise<string>;
}

/** The checkpoints and the review of changes of a window. They are a separate bundle, which is loaded with the chat. */
export class WindowChanges implements Disposable {
  private readonly folderCheckpoints: FolderCheckpoints | undefined;
  private review: AgentChangeViews | undefined;
  private readonly reviewedKeys: ReviewedKeyFiles;
  private readonly marks: ReviewedMarks;

  constructor(private readonly deps: WindowChangesDeps) {
    const { clock, log, reviewedFolder, settings } = deps;
    this.reviewedKeys = new ReviewedKeyFiles({ folder: reviewedFolder, files: new NodeFiles(), clock, log });
    const onError = (error: unknown): void => log.error('an error in the review of changes', error);
    this.marks = new ReviewedMarks({ keys: this.reviewedKeys, hash: shortHash, clock, onError });
    if (deps.folders().length === 0 || !settings.checkpointsEnabled()) return;
    const retention = () => settings.checkpointRetention();
    const isTrusted = () => vscode.workspace.isTrusted;
    this.folderCheckpoints = new FolderCheckpoints({ ...deps, retention, isTrusted });
  }

  /** Undefined if checkpoints are turned off or there is no workspace. */
  get checkpoints(): WorkspaceCheckpoints | undefined {
    return this.folderCheckpoints;
  }

  /** What the user has marked as reviewed. */
  get reviewed(): ReviewProgress {
    return this.marks;
  }

  showReview(source: ReviewSource): void {
    const { marks } = this;
    marks.start(source);
    this.review = new AgentChangeViews({ ...this.deps, marks, source, messages: new Messages(this.deps.log) });
    this.review.start();
  }

  /** Cancels running work. Never rejects. */
  async stop(): Promise<void> {
    await this.folderCheckpoints?.stop();
  }

  dispose(): void {
    this.review?.dispose();
    this.marks.dispose();
    this.reviewedKeys.dispose();
  }
}
