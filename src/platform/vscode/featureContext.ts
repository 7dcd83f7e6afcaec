import type { Clock } from '../../base/common/async';
import type { StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { Commands } from './commands';
import type { Settings } from './settings';

/** Dependencies that all features have in common. Each feature has its own log. */
export interface FeatureContext {
  readonly log: Logger;
  readonly status: StatusBoard;
  readonly commands: Commands;
  readonly settings: Settings;
  readonly clock: Clock;
}
