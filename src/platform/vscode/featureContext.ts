import type { Clock } from '../../base/common/async';
import type { StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { NoticeBoard } from '../common/noticeBoard';
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

/** The context of a feature that also reports things by itself. Answers to commands are `Messages`. */
export interface NoticeContext extends FeatureContext {
  readonly notices: NoticeBoard;
}
