import { lstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CheckedPath } from './pathGuard';

/** Limit in milliseconds that a local disk usually meets and a network drive does not. */
const fastMs = 1;
/** How long after a fast answer the next answer is expected to be fast. */
const fastExpectedMs = 250;

interface ProbeResult {
  readonly realPath: string;
  /** Information about the file at `realPath`. */
  readonly info: BigIntStats;
}

type ProbedFile = Pick<CheckedPath, 'path' | 'realPath' | 'names'>;

/**
 * Looks repeatedly where one path leads, and at the file there. Folders above the workspace folder are only looked at again
 * after a quarter of a second without a probe. Asynchronous calls take ten times longer than synchronous ones, so a disk that has
 * just answered fast is accessed synchronously. A network drive that stalls within 250 ms of a fast answer blocks the
 * extension host once, until the drive answers or times out.
 */
export class FileProbe {
  private lastFastAnswerAt = Number.NEGATIVE_INFINITY;
  /** A probe that has not begun yet. All callers that ask before it begins share its result. */
  private nextProbe: Promise<ProbeResult | undefined> | undefined;
  private runningProbe: Promise<unknown> = Promise.resolve();
  /** The workspace folder and all folders in it that contain the file. Undefined if the path had a link when it was checked. */
  private readonly folders: readonly string[] | undefined;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(
    private readonly file: ProbedFile,
    private readonly now = () => performance.now(),
  ) {
    this.folders = foldersWithoutLinks(file);
  }

  /** Returns information about the path, or undefined if the file does not exist or cannot be accessed. */
  probe(): Promise<ProbeResult | undefined> {
    this.nextProbe ??= this.runningProbe.then(() => this.startProbe());
    return this.nextProbe;
  }

  private startProbe(): Promise<ProbeResult | undefined> {
    this.nextProbe = undefined;
    const probing = this.probeNow();
    this.runningProbe = probing;
    return probing;
  }

  private async probeNow(): Promise<ProbeResult | undefined> {
    const start = this.now();
    const direct = start - this.lastFastAnswerAt < fastExpectedMs;
    const probed = direct ? this.probeSync() : await this.probeAsync();
    const end = this.now();
    // The time of an asynchronous call includes waiting for a thread of the pool, so its limit is higher.
    this.lastFastAnswerAt = end - start < (direct ? fastMs : 5 * fastMs) ? end : Number.NEGATIVE_INFINITY;
    return probed;
  }

  private probeSync(): ProbeResult | undefined {
    const { path } = this.file;
    try {
      return (
        this.probeWithoutLinks() ?? { realPath: realpathSync.native(path), info: statSync(path, { bigint: true }) }
      );
    } catch {
      return undefined;
    }
  }

  /**
   * Checks only that neither the workspace folder nor anything in it on the path has become a link, which is several times
   * faster than resolving the path. Returns undefined if there is a link, or no file.
   */
  private probeWithoutLinks(): ProbeResult | undefined {
    const { path, realPath } = this.file;
    if (!this.folders?.every((folder) => lstatSync(folder).isDirectory())) return undefined;
    const info = lstatSync(path, { bigint: true });
    return info.isFile() ? { realPath, info } : undefined;
  }

  private async probeAsync(): Promise<ProbeResult | undefined> {
    try {
      const { path } = this.file;
      const [realPath, info] = await Promise.all([realpath(path), stat(path, { bigint: true })]);
      return { realPath, info };
    } catch {
      return undefined;
    }
  }
}

function foldersWithoutLinks({ path, names }: ProbedFile): readonly string[] | undefined {
  const [name, ...others] = names;
  if (name?.path !== path || others.length > 0) return undefined;
  const folders: string[] = [];
  let folder = dirname(path);
  for (; folder.length > path.length - name.relativePath.length; folder = dirname(folder)) folders.push(folder);
  return [...folders, folder];
}
