import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileTextId } from '../changes/fileTexts';

const maxPaths = 10_000;
/** Maximum number of claims of one file that are not about to be written. */
const maxClaimsPerPath = 16;
/** The moment of claims from before this window has begun any turn. They affect only turns that another window has begun. */
const earlierMoment = 1;

/** Ids of the same contents of a file: of its text, of its state on disk, or of both. Null if there is no file. */
export type ContentIds = readonly FileTextId[];

/** The contents came into the file between two moments, which nobody knows more exactly. */
export interface Claim {
  readonly owner: object;
  readonly contents: ContentIds;
  readonly from: number;
  /** Infinity as long as the contents are about to be written. */
  readonly until: number;
}

/**
 * Knows who has put which contents into a file, when several conversations have turns at the same time. What Backline itself
 * writes is claimed before it is written, so whoever finds it knows of it; what an agent has written is claimed when it is
 * found. Moments count claims: time is not exact enough. Each turn asks with a `ClaimReader`.
 */
export class FileTextClaims {
  private readonly claimsByPath = new BoundedMap<string, readonly Claim[]>({ maxEntries: maxPaths });
  private readonly announcedPathById = new Map<string, string>();
  private readonly announcedByPath = new Map<string, ReadonlyMap<string, Claim>>();
  private lastMoment = earlierMoment;

  /** Take it before files are read. */
  get now(): number {
    return this.lastMoment;
  }

  /** Claims contents that are about to be written. Call before it, and then `made`, `withdraw` or `lose`. Does nothing if the id is known. */
  announce(id: string, owner: object, path: string, contents: ContentIds): void {
    if (this.announcedPathById.has(id)) return;
    this.announcedPathById.set(id, path);
    const claim = { owner, contents, from: this.now, until: Infinity };
    this.announcedByPath.set(path, new Map(this.announcedByPath.get(path)).set(id, claim));
  }

  /** The announced contents were written. The claim is over when a turn reads other contents after this. Returns whether the id is known. */
  made(id: string, contents: ContentIds = []): boolean {
    return this.end(id, contents, true);
  }

  /**
   * It is unknown whether the announced contents were written, because the process has ended or the write has failed. Nothing
   * will write them any more. `left` is what the file has now, if the write may have put that there instead.
   */
  lose(id: string, left: ContentIds = []): void {
    this.end(id, left, false);
  }

  /** The announced contents were not written. */
  withdraw(id: string): Claim | undefined {
    const path = this.announcedPathById.get(id) ?? '';
    const announced = new Map(this.announcedByPath.get(path));
    const claim = announced.get(id);
    announced.delete(id);
    this.announcedPathById.delete(id);
    if (announced.size > 0) this.announcedByPath.set(path, announced);
    else this.announcedByPath.delete(path);
    return claim;
  }

  /** Claims contents that are in the file already, and were not at the moment `from`. */
  claim(owner: object, path: string, contents: ContentIds, from = this.now): void {
    this.add(path, { owner, contents, from, until: ++this.lastMoment });
  }

  /** Claims contents that were written before this window has begun any turn, unless the file has a later claim. */
  claimEarlier(owner: object, path: string, contents: ContentIds): void {
    if (!this.claimsByPath.has(path)) this.add(path, { owner, contents, from: 0, until: earlierMoment });
  }

  /** Returns the claims that can be those of contents that were read after the moment `readAfter`. */
  claimsOf(path: string, readAfter: number): Claim[] {
    const all = this.claimsByPath.get(path) ?? [];
    // Contents that others have replaced before the file was read were not read.
    const isReplaced = ({ until }: Claim): boolean =>
      all.some((other) => other.from >= until && other.until <= readAfter);
    const announced = this.announcedByPath.get(path)?.values() ?? [];
    return [...announced, ...all.filter((claim) => !isReplaced(claim))];
  }

  private end(id: string, contents: ContentIds, isCertain: boolean): boolean {
    const path = this.announcedPathById.get(id) ?? '';
    const claim = this.withdraw(id);
    if (!claim) return false;
    const isAsAnnounced = contents.length === 0 || contents.some((one) => claim.contents.includes(one));
    // A claim is about one state of the file: a turn that has read one of two states must still find the other one new.
    const all = isAsAnnounced ? [[...new Set([...claim.contents, ...contents])]] : [claim.contents, contents];
    const until = ++this.lastMoment;
    // What was perhaps not written has replaced nothing.
    for (const some of all) this.add(path, { ...claim, contents: some, from: isCertain ? claim.from : 0, until });
    return true;
  }

  private add(path: string, claim: Claim): void {
    this.claimsByPath.set(path, [...(this.claimsByPath.get(path) ?? []), claim].slice(-maxClaimsPerPath));
  }
}

/** The claims of one conversation. */
export class ConversationClaims {
  constructor(private readonly claims: FileTextClaims) {}

  get now(): number {
    return this.claims.now;
  }

  claim(path: string, text: FileTextId, from?: number): void {
    this.claims.claim(this, path, [text], from);
  }

  announce(id: string, path: string, contents: ContentIds): void {
    this.claims.announce(id, this, path, contents);
  }

  made(id: string, contents?: ContentIds): void {
    this.claims.made(id, contents);
  }

  withdraw(id: string): void {
    this.claims.withdraw(id);
  }

  lose(id: string, left?: ContentIds): void {
    this.claims.lose(id, left);
  }

  /** Begins a turn whose checkpoint is taken after the moment `since`. */
  reader(since: number): ClaimReader {
    return new ClaimReader(this.claims, this, since);
  }
}

interface Seen {
  readonly at: number;
  readonly claim: Claim | undefined;
}

/**
 * Tells whether what a turn finds in files was put there by others. What others have put into a file counts once: when the turn
 * has read other contents since, the same contents are new again.
 */
export class ClaimReader {
  /** What was read last of the files that differ from the checkpoint. */
  private seenByPath = new Map<string, Seen>();

  constructor(
    private readonly claims: FileTextClaims,
    private readonly owner: object,
    /** All other files were as in the checkpoint after this moment. */
    private unchangedSince: number,
  ) {}

  /** Take it before files are read. */
  get now(): number {
    return this.claims.now;
  }

  /** Returns the claim of others with these contents of a file, which were read after the moment. `paths` all lead to the file. */
  find(paths: readonly string[], contents: ContentIds, readAfter: number): Claim | undefined {
    const [path = ''] = paths;
    const seen = this.seenByPath.get(path) ?? { at: this.unchangedSince, claim: undefined };
    const claims = [...new Set(paths)].flatMap((one) => this.claims.claimsOf(one, readAfter));
    return claims.findLast(
      (claim) =>
        claim.owner !== this.owner &&
        (claim.until > seen.at || claim === seen.claim) &&
        claim.contents.some((id) => id !== undefined && contents.includes(id)),
    );
  }

  /** Call when it is known to which claim the contents belong that were read after the moment. Undefined if to none. */
  see(path: string, readAfter: number, claim: Claim | undefined): void {
    const earlier = this.seenByPath.get(path)?.at ?? this.unchangedSince;
    this.seenByPath.set(path, { at: Math.max(earlier, readAfter), claim });
  }

  /** Call after a scan that has read all files after the moment, with those that differ from the checkpoint. */
  seeOthersUnchanged(readAfter: number, changed: ReadonlySet<string>): void {
    this.seenByPath = new Map([...this.seenByPath].filter(([path]) => changed.has(path)));
    for (const path of changed) {
      if (!this.seenByPath.has(path)) this.seenByPath.set(path, { at: this.unchangedSince, claim: undefined });
    }
    this.unchangedSince = Math.max(this.unchangedSince, readAfter);
  }
}
