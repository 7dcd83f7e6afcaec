import type { ToolKind, Unattended } from '../../../session/common/sessionEvents';

const kinds: Partial<Record<ToolKind, Unattended>> = { edit: 'edits', delete: 'edits', move: 'edits', execute: 'runs' };

/** Detects agents that never ask: successful calls that change or run something in a session without any request. */
export class UnattendedWatch {
  private readonly asked = new Set<Unattended>();

  /** Call when the agent asked or Backline checked its action. Without `what`, applies to all actions. */
  hasAsked(what?: Unattended): void {
    for (const each of what ? [what] : (['edits', 'runs'] as const)) this.asked.add(each);
  }

  /** The action that a successful call of this kind took without asking. */
  shownBy(kind: ToolKind): Unattended | undefined {
    const what = kinds[kind];
    return what !== undefined && this.asked.has(what) ? undefined : what;
  }
}
