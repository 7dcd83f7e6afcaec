import type { ChangedFile } from '../../../changes/common/workspaceCheckpoints';
import type { Claim, ClaimReader, ContentIds, ConversationClaims } from './fileTextClaims';

interface OthersWritesPorts {
  /** The claims of the conversation. */
  readonly ownClaims: Pick<ConversationClaims, 'now' | 'reader'>;
  /** Claims what other windows have told until now. Never rejects. */
  readonly readOtherWindows: () => Promise<void>;
}

/** Decides for the scans of one turn after the other whether others have written what they find. */
export class OthersWrites {
  private claims: ClaimReader;

  constructor(private readonly ports: OthersWritesPorts) {
    this.claims = ports.ownClaims.reader(0);
  }

  /** The present moment. Take it before files are read. */
  get now(): number {
    return this.ports.ownClaims.now;
  }

  /** Begins a turn whose checkpoint was taken after this moment. 0 if another window has taken it. */
  beginTurn(since: number): void {
    this.claims = this.ports.ownClaims.reader(since);
  }

  /** Call after files were read. `isComplete`: the others are as in the checkpoint. Never rejects. */
  async handleScan(changed: readonly ChangedFile[], readAfter: number, isComplete: boolean): Promise<void> {
    // Whoever is about to write tells it before, so it is read after the files.
    await this.ports.readOtherWindows();
    if (isComplete) this.claims.seeOthersUnchanged(readAfter, new Set(changed.map(({ path }) => path)));
  }

  /** Whether others have put these contents into a file, as far as it is known already. */
  isKnown(path: string, contents: ContentIds, readAfter: number): boolean {
    return this.claims.find([path], contents, readAfter) !== undefined;
  }

  /** Whether others have put these contents, which were read after the moment, into the file to which all these paths lead. Never rejects. */
  async isByOthers(paths: readonly [string, string], contents: ContentIds, readAfter: number): Promise<boolean> {
    const find = (): Claim | undefined => this.claims.find(paths, contents, readAfter);
    let claim = find();
    if (!claim) {
      // The text was read later than what other windows have told.
      await this.ports.readOtherWindows();
      claim = find();
    }
    this.claims.see(paths[0], readAfter, claim);
    return claim !== undefined;
  }
}
