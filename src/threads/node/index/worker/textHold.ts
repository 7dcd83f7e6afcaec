import type { ThreadToIndex } from '../segmentBuilder';
import { isSameFile, type FileKey } from '../fileKey';

/**
 * Keeps the texts of files that were read for the list until they are indexed, so that files are not read twice. What does
 * not fit is read again.
 */
export class TextHold {
  private readonly held = new Map<string, ThreadToIndex>();
  private units = 0;

  constructor(private readonly maxUnits: number) {}

  keep(thread: ThreadToIndex): void {
    this.take(thread.file);
    const units = unitsOf(thread);
    if (this.units + units > this.maxUnits) return;
    this.held.set(thread.file.path, thread);
    this.units += units;
  }

  /** Forgets it, too; undefined when it is not here, or the file is another one by now. */
  take(file: FileKey): ThreadToIndex | undefined {
    const thread = this.held.get(file.path);
    if (!thread) return undefined;
    this.held.delete(file.path);
    this.units -= unitsOf(thread);
    return isSameFile(thread.file, file) ? thread : undefined;
  }
}

function unitsOf({ texts }: ThreadToIndex): number {
  return texts.reduce((total, { text }) => total + text.length, 0);
}
