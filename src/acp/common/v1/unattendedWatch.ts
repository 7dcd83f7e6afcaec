import type { ToolKind, Unattended } from '../../../session/common/sessionEvents';

const kinds: Partial<Record<ToolKind, Unattended>> = { edit: 'edits', delete: 'edits', move: 'edits', execute: 'runs' };

/** Notices an agent that asks for nothing: calls of its that change or run something, in a session in which it never asked. */
export class UnattendedWatch {
  private readonly asked = new Set<Unattended>();

  /** The agent has asked, or Backline stood before what it did. Without `what` that holds for everything. */
  hasAsked(what?: Unattended): void {
    for (const each of what ? [what] : (['edits', 'runs'] as const)) this.asked.add(each);
  }

  /** What a call of that kind has done without asking, now that it has succeeded. */
  shownBy(kind: ToolKind): Unattended | undefined {
    const what = kinds[kind];
    return what !== undefined && this.asked.has(what) ? undefined : what;
  }
}
