import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { FirstApproval } from '../approvals/approvalViews';
import type { ConversationNeed } from '../chatView';
import { rowAnswer } from './rowAnswer';

/** Maximum length of the text, in UTF-16 units. */
const maxUnits = 200;

interface NeedFacts {
  /** The first of the pending approvals. */
  readonly approval: FirstApproval | undefined;
  readonly isAskingToSave: boolean;
  readonly backendTitle: string;
  /** Since when it waits for something else than an approval, in milliseconds since the epoch. */
  readonly waitsSince: number | undefined;
}

/** Returns why a conversation waits for the user, in one line. The caller knows that it waits. */
export function conversationNeed(facts: NeedFacts): ConversationNeed {
  const { approval, backendTitle, isAskingToSave, waitsSince } = facts;
  if (approval) {
    const { expiresAt, others, requestedAt: since, view } = approval;
    const words = rowAnswer(view, backendTitle, expiresAt) ?? {
      text: shorten(oneLine(showHiddenCharacters(view.prompt))),
    };
    return { kind: 'approval', ...words, ...withoutUndefined({ since }), ...(others > 0 && { others }) };
  }
  const since = withoutUndefined({ since: waitsSince });
  return isAskingToSave
    ? { kind: 'unsavedFiles', text: 'Asks whether to save unsaved files', ...since }
    : { kind: 'signIn', text: `Sign in to ${backendTitle}`, ...since };
}

function shorten(text: string): string {
  return text.length <= maxUnits ? text : `${text.slice(0, maxUnits - 1).toWellFormed()}…`;
}
