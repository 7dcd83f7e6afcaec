import type { Logger } from '../../base/common/log';
import { createTimeLimitedRunner } from '../../base/node/timeLimitedRunner';
import type { SettingId } from '../../manifest';
import type { GlobTimeLimitOptions, InvalidPattern } from '../common/globRules';

interface GlobSetting {
  readonly setting: SettingId;
  readonly patterns: readonly string[];
  /** What a matching glob does with a file, for the log. */
  readonly verb: 'excludes' | 'protects';
  readonly log: Logger;
}

/** Compiles the globs of a setting with a time limit for each match. Logs globs that are invalid or too slow. */
export function compileGlobSetting<Rules extends { readonly invalidPatterns: readonly InvalidPattern[] }>(
  createRules: (patterns: readonly string[], options: GlobTimeLimitOptions) => Rules,
  { setting, patterns, verb, log }: GlobSetting,
): Rules {
  const rules = createRules(patterns, {
    runWithTimeLimit: createTimeLimitedRunner(),
    onSlow: (pattern) =>
      log.warn(`"${pattern}" in ${setting} is too slow. It now ${verb} all files with its names. Simplify it.`),
  });
  for (const { pattern, reason } of rules.invalidPatterns) {
    log.warn(`"${pattern}" in ${setting} is not a valid glob and ${verb} nothing: ${reason}`);
  }
  return rules;
}
