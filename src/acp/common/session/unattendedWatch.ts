import type { ToolKind, Unattended } from '../../../session/common/sessionEvents';

const actionsByKind: Partial<Record<ToolKind, Unattended>> = {
  edit: 'edits',
  delete: 'edits',
  move: 'edits',
  execute: 'runs',
};

/** Detects agents that never ask: successful calls that change or run something in a session without any request. */
export class UnattendedWatch {
  private readonly askedActions = new Set<Unattended>();

  /** Call when the agent asked or Backline checked its action. Without `what`, applies to all actions. */
  recordAskedAction(what?: Unattended): void {
    for (const each of what ? [what] : (['edits', 'runs'] as const)) this.askedActions.add(each);
  }

  /** Returns the action that a successful call of this kind performed without asking, if any. */
  unattendedActionOf(kind: ToolKind): Unattended | undefined {
    const what = actionsByKind[kind];
    return what !== undefined && this.askedActions.has(what) ? undefined : what;
  }
}
