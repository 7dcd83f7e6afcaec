import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { createTimeLimitedRunner } from '../../base/node/timeLimitedRunner';
import { ProtectedFiles } from '../common/protection/protectedFiles';

interface ProtectedFilesSettingDeps {
  readonly log: Logger;
  /** The globs of `backline.protectedFiles`. */
  readonly patterns: () => readonly string[];
  readonly onDidChange: Event<void>;
}

/** The protected files from the settings. Before `start`, the defaults apply. */
export class ProtectedFilesSetting implements Disposable {
  private currentFiles = new ProtectedFiles();
  private listener: Disposable | undefined;

  constructor(private readonly deps: ProtectedFilesSettingDeps) {}

  get files(): ProtectedFiles {
    return this.currentFiles;
  }

  start(): void {
    this.reload();
    this.listener = this.deps.onDidChange(() => this.reload());
  }

  dispose(): void {
    this.listener?.dispose();
  }

  private reload(): void {
    const { log, patterns } = this.deps;
    this.currentFiles = new ProtectedFiles(patterns(), {
      runWithTimeLimit: createTimeLimitedRunner(),
      onSlow: (pattern) =>
        log.warn(
          `"${pattern}" in backline.protectedFiles is too slow. It now protects all files with its names. Simplify it.`,
        ),
    });
    for (const { pattern, reason } of this.currentFiles.invalidPatterns) {
      log.warn(`"${pattern}" in backline.protectedFiles is not a valid glob and protects nothing: ${reason}`);
    }
  }
}
