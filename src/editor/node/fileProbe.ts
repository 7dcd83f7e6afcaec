import { realpathSync, statSync, type BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';

/** What a disk that is at hand needs for one look, with a wide margin; a network drive needs more. */
const fastMs = 1;
/** As long as this after a fast answer, another one is expected. */
const trustMs = 250;

interface Probed {
  /** With every link resolved. */
  readonly realPath: string;
  /** Of the file the links lead to. */
  readonly info: BigIntStats;
}

/**
 * Tells where one path leads that is asked for again and again, and the state of the file there. Through the thread pool
 * that costs ten times what the calls themselves do, so a disk that has just answered fast is asked directly. The price:
 * the whole extension host waits for that answer, so a network drive that stalls within 250 ms of a fast answer stalls
 * the host once, until the drive answers or gives up. A disk that was slow the last time is never asked directly.
 */
export class FileProbe {
  private fastAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly path: string) {}

  /** Undefined when there is no such file, or it cannot be asked about. */
  async look(): Promise<Probed | undefined> {
    const start = performance.now();
    const direct = start - this.fastAt < trustMs;
    const probed = direct ? this.lookDirectly() : await this.lookInPool();
    const end = performance.now();
    // An answer through the thread pool includes waiting for it.
    this.fastAt = end - start < (direct ? fastMs : 5 * fastMs) ? end : Number.NEGATIVE_INFINITY;
    return probed;
  }

  private lookDirectly(): Probed | undefined {
    try {
      return { realPath: realpathSync.native(this.path), info: statSync(this.path, { bigint: true }) };
    } catch {
      return undefined;
    }
  }

  private async lookInPool(): Promise<Probed | undefined> {
    try {
      const [realPath, info] = await Promise.all([realpath(this.path), stat(this.path, { bigint: true })]);
      return { realPath, info };
    } catch {
      return undefined;
    }
  }
}
