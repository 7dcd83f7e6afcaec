import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConversationNeed } from '../chatView';

/** Maximum length of the text, in UTF-16 units. */
const maxUnits = 200;

interface NeedFacts {
  /** The first of the pending approvals. */
  readonly approval: { readonly prompt: string; readonly requestedAt: number | undefined } | undefined;
  readonly isAskingToSave: boolean;
  readonly backendTitle: string;
  /** Since when it waits for something else than an approval, in milliseconds since the epoch. */
  readonly waitsSince: number | undefined;
}

/** Returns why a conversation waits for the user, in one line. The caller knows that it waits. */
export function conversationNeed(facts: NeedFacts): ConversationNeed {
  const { approval, backendTitle, isAskingToSave, waitsSince } = facts;
  if (approval) {
    const text = oneLine(showHiddenCharacters(approval.prompt));
    const short = text.length <= maxUnits ? text : `${text.slice(0, maxUnits - 1).toWellFormed()}…`;
    return { kind: 'approval', text: short, ...withoutUndefined({ since: approval.requestedAt }) };
  }
  const since = withoutUndefined({ since: waitsSince });
  return isAskingToSave
    ? { kind: 'unsavedFiles', text: 'Asks whether to save unsaved files', ...since }
    : { kind: 'signIn', text: `Sign in to ${backendTitle}`, ...since };
}
