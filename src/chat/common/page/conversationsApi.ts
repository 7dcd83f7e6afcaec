import * as z from 'zod/mini';
import {
  defineNotification,
  defineRequest,
  defineRequestWithoutResult,
  NoValue,
} from '../../../webview/common/protocol';
import { BackendView, ConversationRow } from '../chatView';

/** Messages between the page of all conversations and its host. */

const Text = z.string();
const one = { sessionId: Text };
const several = { sessionIds: z.array(Text) };
const optional = z.optional;

/** Sent by the host when the page has shown the last one (see `shown`). Absent members have not changed. */
export const ConversationsUpdate = z.object({
  /** Rows that are new or have changed. With `isComplete`, these are all rows. */
  rows: optional(z.array(ConversationRow)),
  isComplete: optional(z.boolean()),
  /** Ids of rows that are gone. */
  removed: optional(z.array(Text)),
  backends: optional(z.array(BackendView)),
  /** Id of the conversation that the chat shows; null if there is none. */
  shown: optional(z.nullable(Text)),
  /** Ids of the repositories in which this window works. */
  repositories: optional(z.array(Text)),
  /** First keys of multi-key shortcuts; see `parseChordPrefixes`. */
  keyChords: optional(z.array(Text)),
});
export type ConversationsUpdate = z.infer<typeof ConversationsUpdate>;

export const didUpdateConversations = defineNotification('conversations/didUpdate', ConversationsUpdate);
/** The user has run a command that concerns the page. */
export const didInvokeConversationsCommand = defineNotification(
  'conversations/didAsk',
  z.object({ what: z.enum(['focus', 'search']) }),
);

/** `sessionId` is the id of a row. Requests with several ids do what they can, and report what they could not do. */
export const conversationsRequests = {
  /** The page has loaded. The host replies with a complete `didUpdate`. */
  ready: defineRequestWithoutResult('conversations/ready', NoValue),
  /** The page has shown a `didUpdate`. Sent once for each. */
  shown: defineRequestWithoutResult('conversations/shown', NoValue),
  /** Heartbeat that the page sends every few seconds while it is visible. */
  alive: defineRequestWithoutResult('conversations/alive', NoValue),
  /** Shows the conversation in the chat, at an entry if it is set. */
  open: defineRequestWithoutResult('conversations/open', z.object({ ...one, entryId: optional(Text) })),
  openInTab: defineRequestWithoutResult('conversations/openInTab', z.object({ ...one, entryId: optional(Text) })),
  /** Opens its folder in a new window, and shows it there. */
  openInNewWindow: defineRequestWithoutResult('conversations/openInNewWindow', z.object(one)),
  /** Brings the window to the front that runs the conversation, and shows it there. */
  goToWindow: defineRequestWithoutResult('conversations/goToWindow', z.object(one)),
  /** Starts a conversation. */
  create: defineRequestWithoutResult('conversations/new', NoValue),
  stop: defineRequestWithoutResult('conversations/stop', z.object(several)),
  /** Answers an approval that `ConversationNeed.answer` describes. `option` is the label that was chosen. */
  answer: defineRequestWithoutResult(
    'conversations/answer',
    z.object({ ...one, approvalId: Text, shown: Text, option: Text }),
  ),
  rename: defineRequestWithoutResult('conversations/rename', z.object({ ...one, title: Text })),
  setPinned: defineRequestWithoutResult('conversations/setPinned', z.object({ ...several, isPinned: z.boolean() })),
  setArchived: defineRequestWithoutResult(
    'conversations/setArchived',
    z.object({ ...several, isArchived: z.boolean() }),
  ),
  /** Deletes conversations. The user can take that back for a while. */
  delete: defineRequestWithoutResult('conversations/delete', z.object(several)),
  fork: defineRequestWithoutResult('conversations/fork', z.object(one)),
  /** Continues with an agent that the user picks. */
  continueWith: defineRequestWithoutResult('conversations/continueWith', z.object(one)),
  /** Opens the changes that are neither kept nor undone. */
  review: defineRequestWithoutResult('conversations/review', z.object(one)),
  export: defineRequestWithoutResult(
    'conversations/export',
    z.object({ ...one, format: z.enum(['markdown', 'html', 'json']) }),
  ),
  /** Asks where the folder of a conversation is now. */
  locateFolder: defineRequestWithoutResult('conversations/locateFolder', z.object(one)),
  /**
   * Finds conversations by their title and text, best first. `entryId` is the place of the snippet. `left` tells how far the
   * texts are known: ask again while it is set.
   */
  search: defineRequest(
    'conversations/search',
    z.object({ query: Text }),
    z.object({
      found: z.array(z.object({ row: ConversationRow, entryId: optional(Text) })),
      left: optional(z.object({ done: z.int(), total: z.int() })),
    }),
  ),
  /** Lists the sessions that a backend stores, and starts it. */
  listRemoteSessions: defineRequest(
    'conversations/listRemoteSessions',
    z.object({ backendId: Text }),
    z.object({ sessions: z.array(ConversationRow) }),
  ),
  /** Cancels `listRemoteSessions`. */
  cancelListing: defineRequestWithoutResult('conversations/cancelListing', NoValue),
} as const;
