import type { ToolKind, UnattendedAction } from '../../../session/common/sessionEvents';

const actionsByKind: Partial<Record<ToolKind, UnattendedAction>> = {
  edit: 'edits',
  delete: 'edits',
  move: 'edits',
  execute: 'runs',
};

/** Detects agents that never ask: calls that change or run something in a session without any approval request. */
export class UnattendedActionDetector {
  private readonly askedActions = new Set<UnattendedAction>();

  /** Call when the agent has asked, or Backline has checked an action itself. Without `what`, for all actions. */
  recordAskedAction(what?: UnattendedAction): void {
    for (const each of what ? [what] : (['edits', 'runs'] as const)) this.askedActions.add(each);
  }

  /** Returns the action that a successful call of this kind performed without asking, if any. */
  unattendedActionOf(kind: ToolKind): UnattendedAction | undefined {
    const what = actionsByKind[kind];
    return what !== undefined && this.askedActions.has(what) ? undefined : what;
  }
}
