import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface HardLinksOptions {
  /** The workspace folders, links resolved. */
  readonly folders: () => Promise<readonly string[]>;
  /** Whether a file below one of them is on the exclude list. */
  readonly isExcluded: (file: string, folder: string) => boolean;
}

const maxNames = 20_000;
/** A check waits no longer than this for a scan, counted from its start. */
const maxWaitMs = 500;
/** From the start of one scan to the start of the next. Longer than `maxWaitMs`: nobody waits for a scan that is stopped. */
const scanIntervalMs = 1000;
/** The clocks of file systems are behind by some milliseconds, those of network drives by more. */
const clockMarginMs = 1000;
/** Full of files that have several names in a package manager's store, and hardly ever of secrets: looked at last. */
const lastFolders: ReadonlySet<string> = new Set(['node_modules', 'objects']);

/**
 * Tells whether a file with several names (hard links) has one that is on the exclude list. A file does not know its
 * names, so the workspace is searched for excluded files: the first 20,000 names from the top. A check waits for half a
 * second of that at most; what is found later counts for later checks. What is beyond, or outside the workspace, is not
 * known.
 */
export class HardLinks {
  /** The newest one; the only one that runs. */
  private scan: Scan | undefined;
  /** The one after that, while it has not started. */
  private next: Promise<Scan> | undefined;
  private isOutdated = false;

  constructor(private readonly options: HardLinksOptions) {}

  /** To be called when the exclude list or the folders have changed. */
  forget(): void {
    this.isOutdated = true;
  }

  async hasExcludedName(info: BigIntStats): Promise<boolean> {
    if (!info.isFile() || info.nlink < 2n) return false;
    const scan = this.scanSince(Number(info.ctimeMs)) ?? (await this.nextScan());
    await scan.hasLooked;
    return scan.excluded.has(keyOf(info));
  }

  /** A file that gets a name changes its time stamp, so an older scan holds for files that have not changed since. */
  private scanSince(changedAt: number): Scan | undefined {
    const isCovered = this.scan && !this.isOutdated && changedAt < this.scan.startedAt - clockMarginMs;
    return isCovered ? this.scan : undefined;
  }

  /** All who ask before it starts share it. */
  private nextScan(): Promise<Scan> {
    this.next ??= this.startNext().finally(() => {
      this.next = undefined;
    });
    return this.next;
  }

  private async startNext(): Promise<Scan> {
    if (this.scan) {
      await sleep(this.scan.startedMs + scanIntervalMs - performance.now());
      await this.scan.stop();
    }
    this.isOutdated = false;
    this.scan = new Scan(this.options);
    this.scan.start();
    return this.scan;
  }
}

/** One search for excluded files that have several names. */
class Scan {
  /** Grows until all names are seen, or as many as are looked at. */
  readonly excluded = new Set<string>();
  readonly startedAt = Date.now();
  readonly startedMs = performance.now();
  private ended = Promise.resolve();
  private looked: Promise<void> = this.ended;
  private isStopped = false;

  constructor(private readonly options: HardLinksOptions) {}

  /** Resolves when it has ended, or has had its half second. */
  get hasLooked(): Promise<void> {
    return this.looked;
  }

  start(): void {
    const waiting = new AbortController();
    this.ended = this.run().finally(() => waiting.abort());
    const waited = sleep(maxWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.looked = Promise.race([this.ended, waited]);
  }

  /** Resolves when it has ended. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.ended.catch(() => undefined);
  }

  private async run(): Promise<void> {
    const roots = await this.options.folders();
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
        else if (entry.isFile() && this.options.isExcluded(file, root)) await this.add(file);
      }
    }
  }

  private async add(file: string): Promise<void> {
    const info = await stat(file, { bigint: true }).catch(() => undefined);
    if (info && info.nlink > 1n) this.excluded.add(keyOf(info));
  }
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
