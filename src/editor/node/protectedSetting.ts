import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { timedRunner } from '../../base/node/timedRunner';
import { ProtectedFiles } from '../common/protection/protectedFiles';

interface ProtectedSettingOptions {
  readonly log: Logger;
  /** The globs of `backline.protectedFiles`. */
  readonly patterns: () => readonly string[];
  readonly onDidChange: Event<void>;
}

/** The protected files as the settings have them now. Before `start` they are those that are protected out of the box. */
export class ProtectedSetting implements Disposable {
  private current = new ProtectedFiles();
  private listener: Disposable | undefined;

  constructor(private readonly options: ProtectedSettingOptions) {}

  get files(): ProtectedFiles {
    return this.current;
  }

  start(): void {
    this.read();
    this.listener = this.options.onDidChange(() => this.read());
  }

  dispose(): void {
    this.listener?.dispose();
  }

  private read(): void {
    const { log, patterns } = this.options;
    this.current = new ProtectedFiles(patterns(), {
      runInTime: timedRunner(),
      onSlow: (pattern) =>
        log.warn(
          `"${pattern}" in backline.protectedFiles takes too long. All files with its names are protected: make it simpler`,
        ),
    });
    for (const { pattern, reason } of this.current.bad) {
      log.warn(`"${pattern}" in backline.protectedFiles is not a glob and protects nothing: ${reason}`);
    }
  }
}
