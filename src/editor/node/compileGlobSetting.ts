import type { Logger } from '../../base/common/log';
import type { SettingId } from '../../manifest';
import type { InvalidPattern } from '../common/globRules';

interface GlobSetting {
  readonly setting: SettingId;
  readonly patterns: readonly string[];
  /** What a matching glob does with a file, for the log. */
  readonly verb: 'excludes' | 'protects';
  readonly log: Logger;
}

/** Compiles the globs of a setting. Logs those that are invalid. */
export function compileGlobSetting<Rules extends { readonly invalidPatterns: readonly InvalidPattern[] }>(
  createRules: (patterns: readonly string[]) => Rules,
  { setting, patterns, verb, log }: GlobSetting,
): Rules {
  const rules = createRules(patterns);
  for (const { pattern, reason } of rules.invalidPatterns) {
    log.warn(`"${pattern}" in ${setting} is not a valid glob and ${verb} nothing: ${reason}`);
  }
  return rules;
}
