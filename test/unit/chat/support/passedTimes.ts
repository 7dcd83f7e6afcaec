import { lstatSync, readdirSync, type Stats } from 'node:fs';
import * as path from 'node:path';
import type { FileTimes } from '../../../../src/changes/node/scan/fileAges';

const hourMs = 3_600_000;

type Times = Pick<Stats, 'birthtimeMs' | 'ctimeMs'>;

/** The times of real files, between which time passes without a wait. */
export class PassedTimes implements FileTimes {
  /** What was there when time passed, by inode: the times that the system told then, and how long ago they are. */
  private readonly passed = new Map<
    number,
    { readonly was: Times; readonly bornMs: number; readonly changedMs: number }
  >();

  constructor(readonly births: FileTimes['births']) {}

  /** Makes all that is below the folder one hour older. */
  pass(folder: string): void {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const info = lstatSync(path.join(folder, name));
      const { bornMs, changedMs } = this.agesOf(info);
      this.passed.set(info.ino, { was: info, bornMs: bornMs + hourMs, changedMs: changedMs + hourMs });
    }
  }

  readonly read = (file: string): Promise<Times | undefined> => {
    const info = lstatSync(file, { throwIfNoEntry: false });
    if (!info) return Promise.resolve(undefined);
    const { bornMs, changedMs } = this.agesOf(info);
    return Promise.resolve({ birthtimeMs: info.birthtimeMs - bornMs, ctimeMs: info.ctimeMs - changedMs });
  };

  /** Another file can have got the inode of one that is gone, and a change is as new as the system says. */
  private agesOf({ birthtimeMs, ctimeMs, ino }: Stats): { readonly bornMs: number; readonly changedMs: number } {
    const known = this.passed.get(ino);
    if (known?.was.birthtimeMs !== birthtimeMs) return { bornMs: 0, changedMs: 0 };
    return { bornMs: known.bornMs, changedMs: known.was.ctimeMs === ctimeMs ? known.changedMs : 0 };
  }
}
