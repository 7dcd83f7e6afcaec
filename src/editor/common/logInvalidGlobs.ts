import type { Logger } from '../../base/common/log';
import type { SettingId } from '../../manifest';
import type { InvalidPattern } from './globRules';

interface GlobSetting {
  readonly setting: SettingId;
  /** What a matching glob does with a file. */
  readonly verb: 'excludes' | 'protects';
}

/** Logs the globs of a setting that are invalid. */
export function logInvalidGlobs(
  invalidPatterns: readonly InvalidPattern[],
  { setting, verb }: GlobSetting,
  log: Logger,
): void {
  for (const { pattern, reason } of invalidPatterns)
    log.warn(`"${pattern}" in ${setting} is not a valid glob and ${verb} nothing: ${reason}`);
}
