import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface HardLinksDeps {
  /** Real paths of the workspace folders. */
  readonly folders: () => Promise<readonly string[]>;
  readonly isExcluded: (file: string, folder: string) => boolean;
}

const maxNames = 20_000;
/** How long a check waits for a scan, measured from the start of the scan. */
const maxWaitMs = 500;
/** Minimum time between the starts of two scans. Longer than `maxWaitMs`, so that no check waits for a stopped scan. */
const scanIntervalMs = 1000;
/** Tolerance for clocks of file systems that are behind, especially of network drives. */
const clockMarginMs = 1000;
/** Folders that are scanned last, because they contain many hard links of package managers and few secrets. */
const lastFolders: ReadonlySet<string> = new Set(['node_modules', 'objects']);

/**
 * Detects files that have another hard link on the exclude list. Scans up to 20,000 names in the workspace for excluded
 * files. A check waits at most half a second for the scan; later results apply to later checks.
 */
export class ExcludedHardLinks {
  private currentScan: ExcludedFileScan | undefined;
  /** Resolves when the next scan has started. */
  private pendingScan: Promise<ExcludedFileScan> | undefined;
  private isScanOutdated = false;

  constructor(private readonly deps: HardLinksDeps) {}

  /** Call after the exclude list or the folders have changed. */
  invalidate(): void {
    this.isScanOutdated = true;
  }

  async hasExcludedName(info: BigIntStats): Promise<boolean> {
    if (!info.isFile() || info.nlink < 2n) return false;
    const scan = this.currentScanFor(Number(info.ctimeMs)) ?? (await this.startOrJoinScan());
    await scan.endOrTimeout;
    return scan.excludedIds.has(fileIdOf(info));
  }

  /** Returns the current scan if it started after the file last changed. Adding a hard link updates the file's ctime. */
  private currentScanFor(changedAt: number): ExcludedFileScan | undefined {
    const isCovered =
      this.currentScan && !this.isScanOutdated && changedAt < this.currentScan.startedAt - clockMarginMs;
    return isCovered ? this.currentScan : undefined;
  }

  /** Concurrent calls share one scan. */
  private startOrJoinScan(): Promise<ExcludedFileScan> {
    this.pendingScan ??= this.startScan().finally(() => {
      this.pendingScan = undefined;
    });
    return this.pendingScan;
  }

  private async startScan(): Promise<ExcludedFileScan> {
    if (this.currentScan) {
      await sleep(this.currentScan.startedAtMonotonicMs + scanIntervalMs - performance.now());
      await this.currentScan.stop();
    }
    this.isScanOutdated = false;
    this.currentScan = new ExcludedFileScan(this.deps);
    this.currentScan.start();
    return this.currentScan;
  }
}

/** One scan for excluded files with several hard links. */
class ExcludedFileScan {
  /** Device and inode numbers of the files found so far. */
  readonly excludedIds = new Set<string>();
  readonly startedAt = Date.now();
  readonly startedAtMonotonicMs = performance.now();
  private completion = Promise.resolve();
  /** Resolves when the scan ends or after `maxWaitMs`. */
  endOrTimeout: Promise<void> = this.completion;
  private isStopped = false;

  constructor(private readonly deps: HardLinksDeps) {}

  start(): void {
    const waiting = new AbortController();
    this.completion = this.run().finally(() => waiting.abort());
    const waited = sleep(maxWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.endOrTimeout = Promise.race([this.completion, waited]);
  }

  /** Resolves when the scan has ended. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.completion.catch(() => undefined);
  }

  private async run(): Promise<void> {
    const roots = await this.deps.folders();
    const next = roots.map((root) => ({ folder: root, root }));
    const last: typeof next = [];
    let names = 0;
    for (let place = next.shift() ?? last.shift(); place; place = next.shift() ?? last.shift()) {
      const { folder, root } = place;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (this.isStopped || ++names > maxNames) return;
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) (lastFolders.has(entry.name) ? last : next).push({ folder: file, root });
        else if (entry.isFile() && this.deps.isExcluded(file, root)) await this.addIfHardLinked(file);
      }
    }
  }

  private async addIfHardLinked(file: string): Promise<void> {
    const info = await stat(file, { bigint: true }).catch(() => undefined);
    if (info && info.nlink > 1n) this.excludedIds.add(fileIdOf(info));
  }
}

function fileIdOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
