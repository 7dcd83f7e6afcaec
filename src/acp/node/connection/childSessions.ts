import { BoundedMap } from '../../../base/common/boundedMap';
import { SubagentUpdate } from '../../common/session/wireSchema';

const maxChildren = 1_000;

/** Maps the sessions of subagents to the sessions that announced them. */
export class ChildSessions {
  private readonly ownerByChild = new BoundedMap<string, string>({ maxEntries: maxChildren });

  /** Call for each update of a session, or of one of its children. `ownerId` is the session that has a peer. */
  observe(ownerId: string, update: { readonly sessionUpdate: string }): void {
    if (update.sessionUpdate !== 'subagent_update') return;
    const child = SubagentUpdate.safeParse(update).data;
    if (child && child.sessionId !== ownerId) this.ownerByChild.set(child.sessionId, ownerId);
  }

  ownerOf(sessionId: string): string | undefined {
    return this.ownerByChild.get(sessionId);
  }

  forgetChildrenOf(ownerId: string): void {
    for (const [child, owner] of this.ownerByChild) if (owner === ownerId) this.ownerByChild.delete(child);
  }
}
