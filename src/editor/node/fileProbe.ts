import type { BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';

interface ProbeResult {
  readonly realPath: string;
  /** Information about the file at `realPath`. */
  readonly info: BigIntStats;
}

/** Looks repeatedly where one path leads, and at the file there. `path` is absolute. */
export class FileProbe {
  /** A probe that has not begun yet. All callers that ask before it begins share its result. */
  private nextProbe: Promise<ProbeResult | undefined> | undefined;
  private runningProbe: Promise<unknown> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Returns information about the path, or undefined if the file does not exist or cannot be accessed. */
  probe(): Promise<ProbeResult | undefined> {
    this.nextProbe ??= this.runningProbe.then(() => {
      this.nextProbe = undefined;
      const probing = this.probeNow();
      this.runningProbe = probing;
      return probing;
    });
    return this.nextProbe;
  }

  private async probeNow(): Promise<ProbeResult | undefined> {
    try {
      const [realPath, info] = await Promise.all([realpath(this.path), stat(this.path, { bigint: true })]);
      return { realPath, info };
    } catch {
      return undefined;
    }
  }
}
