import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileTextId } from './fileTexts';

const maxPaths = 10_000;

/** Tracks which conversation was the first to record a text of a file, when several have turns at the same time. */
export class FileTextClaims {
  private readonly claimByPath = new BoundedMap<string, { readonly owner: object; readonly text: FileTextId }>({
    maxEntries: maxPaths,
  });

  claim(owner: object, path: string, text: FileTextId): void {
    this.claimByPath.set(path, { owner, text });
  }

  /** Whether another conversation has recorded this text of the file. */
  isClaimedByOther(owner: object, path: string, text: FileTextId): boolean {
    const claim = this.claimByPath.get(path);
    return claim !== undefined && claim.owner !== owner && claim.text === text;
  }
}
