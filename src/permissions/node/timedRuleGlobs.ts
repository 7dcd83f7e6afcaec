import type { Logger } from '../../base/common/log';
import { createTimeLimitedRunner } from '../../base/node/timeLimitedRunner';
import { RuleGlobs } from '../common/rules/ruleGlobs';

/** Compiles globs of rules with a time limit. Logs globs that exceed it. */
export function timedRuleGlobs(log: Logger): RuleGlobs {
  return new RuleGlobs({
    runWithTimeLimit: createTimeLimitedRunner(),
    onSlow: (glob) =>
      log.warn(`The glob "${glob}" of a rule is too slow. It now allows nothing, and denies all files with its names.`),
  });
}
