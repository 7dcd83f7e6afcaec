import type { Logger } from '../../base/common/log';
import { timedRunner } from '../../base/node/timedRunner';
import { RuleGlobs } from '../common/rules/ruleGlobs';

/** The globs of rules with a limit of time for each, of which the log is told. */
export function timedRuleGlobs(log: Logger): RuleGlobs {
  return new RuleGlobs({
    runInTime: timedRunner(),
    onSlow: (glob) =>
      log.warn(`The glob "${glob}" of a rule takes too long. It allows nothing, and denies all files with its names.`),
  });
}
