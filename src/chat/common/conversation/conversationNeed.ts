import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { oneLine } from '../../../base/common/text/oneLine';
import type { ConversationNeed } from '../chatView';

/** Maximum length of the text, in UTF-16 units. */
const maxUnits = 200;

interface NeedFacts {
  readonly pendingApprovals: number;
  /** The words of the approval that was requested first. */
  readonly firstPrompt: string | undefined;
  readonly isAskingToSave: boolean;
  readonly backendTitle: string;
}

/** Returns why a conversation waits for the user, in one line. The caller knows that it waits. */
export function conversationNeed({
  backendTitle,
  firstPrompt,
  isAskingToSave,
  pendingApprovals,
}: NeedFacts): ConversationNeed {
  if (firstPrompt !== undefined) {
    const text = oneLine(showHiddenCharacters(firstPrompt));
    const short = text.length <= maxUnits ? text : `${text.slice(0, maxUnits - 1).toWellFormed()}…`;
    return { kind: 'approval', text: short, count: pendingApprovals };
  }
  return isAskingToSave
    ? { kind: 'unsavedFiles', text: 'Asks whether to save unsaved files' }
    : { kind: 'signIn', text: `Sign in to ${backendTitle}` };
}
