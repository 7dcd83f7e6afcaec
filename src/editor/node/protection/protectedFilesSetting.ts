import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { settingIds } from '../../../manifest';
import { logInvalidGlobs } from '../../common/logInvalidGlobs';
import { ProtectedFiles } from '../../common/protection/protectedFiles';

interface ProtectedFilesSettingDeps {
  readonly log: Logger;
  /** The globs of `backline.protectedFiles`. */
  readonly patterns: () => readonly string[];
  readonly onDidChange: Event<void>;
}

/**
 * The protected files from the settings. Before `start`, the defaults apply. Compiling the globs takes milliseconds, so it is
 * done when they are first needed and not while Backline starts.
 */
export class ProtectedFilesSetting implements Disposable {
  private currentFiles: ProtectedFiles | undefined;
  private hasStarted = false;
  private listener: Disposable | undefined;

  constructor(private readonly deps: ProtectedFilesSettingDeps) {}

  get files(): ProtectedFiles {
    return (this.currentFiles ??= this.hasStarted ? this.compile() : new ProtectedFiles());
  }

  start(): void {
    this.hasStarted = true;
    this.currentFiles = undefined;
    // Compiles a changed setting immediately, so that the log shows its problems.
    this.listener = this.deps.onDidChange(() => {
      this.currentFiles = this.compile();
    });
  }

  dispose(): void {
    this.listener?.dispose();
  }

  private compile(): ProtectedFiles {
    const files = new ProtectedFiles(this.deps.patterns());
    logInvalidGlobs(files.invalidPatterns, { setting: settingIds.protectedFiles, verb: 'protects' }, this.deps.log);
    return files;
  }
}
