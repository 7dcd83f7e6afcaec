import { messageOf } from '../../base/common/errors';
import type { Feature, RunningFeature, StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';

interface StartReports {
  readonly status: StatusBoard;
  readonly log: Logger;
  readonly msSinceActivation: () => number;
}

/** Starts a feature. If it fails, reports the error to the status board and the log, and throws it again. */
export async function startWithReports<Running extends RunningFeature>(
  feature: Feature<Running>,
  { status, log, msSinceActivation }: StartReports,
): Promise<Running> {
  const { id, title } = feature;
  status.set({ id, title, state: 'starting', summary: 'Starting…' });
  try {
    const running = await feature.start();
    log.info(`${id} started ${msSinceActivation()} ms after activation`);
    return running;
  } catch (error) {
    log.error(`${id} could not start`, error);
    status.set({ id, title, state: 'failed', summary: messageOf(error) });
    throw error;
  }
}
