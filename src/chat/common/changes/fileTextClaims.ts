import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileTextId } from './fileTexts';

const maxPaths = 10_000;
/** The number of claims from before this window has begun any turn. They affect only turns that another window has begun. */
const earlierNumber = 1;

interface Claim {
  readonly owner: object;
  readonly text: FileTextId;
  readonly number: number;
}

/**
 * Tracks which conversation was the first to record a text of a file, when several have turns at the same time. A claim
 * ends when the file has another text, or when its change is undone. For a turn that has started later, it says nothing,
 * because the file already had the text when the turn started, or has been changed since.
 */
export class FileTextClaims {
  private readonly claimByPath = new BoundedMap<string, Claim>({ maxEntries: maxPaths });
  private lastNumber = earlierNumber;

  /** The number of the last claim. A turn that starts now is affected only by claims with higher numbers. */
  get newest(): number {
    return this.lastNumber;
  }

  claim(owner: object, path: string, text: FileTextId): void {
    this.claimByPath.set(path, { owner, text, number: ++this.lastNumber });
  }

  /** Claims a text that was written before this window has begun any turn, unless the file has a later claim. */
  claimEarlier(owner: object, path: string, text: FileTextId): void {
    if (!this.claimByPath.has(path)) this.claimByPath.set(path, { owner, text, number: earlierNumber });
  }

  /** Ends the claim of a conversation, because its change of the file was undone. */
  end(owner: object, path: string): void {
    if (this.claimByPath.get(path)?.owner === owner) this.claimByPath.delete(path);
  }

  /**
   * Whether another conversation has recorded this text of the file after the claim with the number `since`. Ends the
   * claim if the file has another text.
   */
  isClaimedByOther(owner: object, path: string, text: FileTextId, since: number): boolean {
    const claim = this.claimByPath.get(path);
    if (claim === undefined || claim.owner === owner || claim.number <= since) return false;
    if (claim.text !== text) this.claimByPath.delete(path);
    return claim.text === text;
  }
}

/** The claims of one conversation. */
export class ConversationClaims {
  constructor(private readonly claims: FileTextClaims) {}

  claim(path: string, text: FileTextId): void {
    this.claims.claim(this, path, text);
  }

  end(path: string): void {
    this.claims.end(this, path);
  }

  isClaimedByOther(path: string, text: FileTextId, since: number): boolean {
    return this.claims.isClaimedByOther(this, path, text, since);
  }
}
