import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { OpenThread } from '../../common/threadPorts';
import { Pacer } from './pacer';
import type { ThreadReading } from './threadReader';

/** A thread of 20 MB that is written ten times a second is then read every few seconds, a small one ten times. */
const pace = { minMs: 100, share: 0.05 };

export interface FollowerListener {
  onThread(thread: OpenThread): void;
  /** It is tried again at the next change. */
  onError(error: unknown): void;
}

/** Reads an open thread again when its file may have changed, as often as its size allows. */
export class ThreadFollower implements Disposable {
  private readonly pacer: Pacer;

  constructor(reading: ThreadReading, clock: Clock, listener: FollowerListener) {
    const work = async (): Promise<number> => {
      listener.onThread(await reading.read());
      return reading.costMs;
    };
    this.pacer = new Pacer(clock, pace, work, (error) => listener.onError(error));
  }

  /** To be called at each change of its folder; a file that is as it was costs a stat. */
  touch(): void {
    this.pacer.touch();
  }

  dispose(): void {
    this.pacer.dispose();
  }
}
