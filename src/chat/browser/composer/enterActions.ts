import type { EnterDuringTurn } from '../../../platform/common/settings';
import type { TextPurpose } from '../../common/approvals/reasonText';

/**
 * What becomes of the composer's content. `steer`: the agent takes it into the turn that runs. `insert`: the text of a prompt file
 * takes its place.
 */
export type ComposerAction = 'send' | 'steer' | 'queue' | 'deny' | 'insert';

interface EnterSituation {
  readonly purpose: TextPurpose;
  /** Whether the text calls a prompt file. */
  readonly isCall: boolean;
  readonly isBusy: boolean;
  /** Whether the turn that runs takes this prompt. */
  readonly canSteer: boolean;
  readonly enterDuringTurn: EnterDuringTurn;
}

/** `modifiedEnter`: with Ctrl, or with Command on a Mac. An approval in view changes only what Enter alone does. */
export interface EnterActions {
  readonly enter: ComposerAction;
  readonly modifiedEnter: Exclude<ComposerAction, 'deny'>;
}

/** What Enter does. The keys, the send button and the texts that explain them follow from it. */
export function enterActions({ isCall, purpose, ...situation }: EnterSituation): EnterActions {
  if (isCall) return { enter: 'insert', modifiedEnter: 'insert' };
  const actions = actionsOfPrompt(situation);
  return purpose === 'reason' ? { ...actions, enter: 'deny' } : actions;
}

function actionsOfPrompt({
  canSteer,
  enterDuringTurn,
  isBusy,
}: Omit<EnterSituation, 'isCall' | 'purpose'>): EnterActions {
  if (!isBusy) return { enter: 'send', modifiedEnter: 'send' };
  if (!canSteer) return { enter: 'queue', modifiedEnter: 'queue' };
  return enterDuringTurn === 'steer'
    ? { enter: 'steer', modifiedEnter: 'queue' }
    : { enter: 'queue', modifiedEnter: 'steer' };
}
