import * as z from 'zod/mini';
import { Entry, Part } from '../../../transcript/common/entries';
import { FoundEntry } from '../../../transcript/common/findEntries';
import { LoadAnswer, LoadRequest } from '../../../transcript/common/loadRequest';
import { TranscriptPatch } from '../../../transcript/common/patch';
import {
  defineRequestWithoutResult,
  defineNotification,
  defineRequest,
  NoValue,
} from '../../../webview/common/protocol';
import {
  BackendView,
  CommandView,
  ContextChipView,
  Draft,
  DraftAttachment,
  MentionRow,
  NoticeView,
  OptionView,
  PromptFileRow,
  StandingView,
  ConversationRow,
  ConversationView,
  UnattendedAction,
} from '../chatView';

/** Messages between the chat page and its host. */

const Text = z.string();
const inSession = { sessionId: Text };
const optional = z.optional;
const changedFile = { path: optional(Text), renamedFrom: optional(Text), turn: optional(z.int()) };
/** The content of the composer. `revision` increases with each change, as long as the page exists. */
const draftFields = { sessionId: optional(Text), revision: z.int(), ...Draft.shape };

/** What becomes of a prompt that is sent while a turn runs. */
const PromptDuringTurn = z.enum(['steer', 'queue']);

/** Sent by the host when the page has shown the last one (see `shown`). Absent members have not changed. */
export const ChatUpdate = z.object({
  /** The displayed conversation; null if there is none. */
  session: optional(z.nullable(ConversationView)),
  transcript: optional(TranscriptPatch),
  /** When the displayed conversation last heard from its backend, in milliseconds since the epoch, by the host's clock. */
  heardAt: optional(z.number()),
  sessions: optional(z.array(ConversationRow)),
  backends: optional(z.array(BackendView)),
  chosenBackend: optional(Text),
  /** Options for a new session with the current backend. */
  newOptions: optional(z.array(OptionView)),
  /** What the current agent did without approval in earlier turns; null if nothing. */
  seenUnattended: optional(z.nullable(UnattendedAction)),
  /** The last known commands of the chosen backend, for a new conversation. */
  newCommands: optional(z.array(CommandView)),
  standing: optional(StandingView),
  /** Chips for context that can be sent automatically. */
  chips: optional(z.array(ContextChipView)),
  /** The selection, or else the active file, which the user can add to the prompt; null if there is none. */
  offered: optional(z.nullable(MentionRow)),
  /** First keys of multi-key shortcuts; see `parseChordPrefixes`. */
  keyChords: optional(z.array(Text)),
  /** Absolute paths of the workspace folders. Other paths are shown relative to them. */
  folders: optional(z.array(Text)),
  /** Draft of the displayed conversation. Sent when it is opened, and when a refused prompt is restored. */
  draft: optional(Draft),
  /** A draft that was sent from this or another page. A composer that still contains it is cleared. */
  sent: optional(Draft),
  /** A prompt that was refused. It is placed before the text that the user has typed since. */
  refused: optional(Draft),
  /**
   * Whether the content of the composer moves to the conversation that is now displayed, because a prompt from this
   * page has started it or tried to.
   */
  keepsComposer: optional(z.boolean()),
  /** Ids of attachments in the draft whose files no longer exist. They would not be sent. */
  missing: optional(z.array(Text)),
  /** The user's setting of what Enter does during a turn; Ctrl+Enter does the other. */
  enterDuringTurn: optional(PromptDuringTurn),
  /** Earlier prompts, oldest first. */
  history: optional(z.array(Text)),
  /** What Backline has to say while the user is in the chat. */
  notices: optional(z.array(NoticeView)),
  /** How many comments were not sent. */
  draftComments: optional(z.int()),
  /** The changes of the displayed conversation, and those that are reviewed; null if none is. */
  reviewed: optional(z.nullable(z.object({ reviewed: z.int(), total: z.int() }))),
  /** Whether the workspace is not trusted, so that agents can't start. */
  untrusted: optional(z.boolean()),
});
export type ChatUpdate = z.infer<typeof ChatUpdate>;

export const didUpdate = defineNotification('chat/didUpdate', ChatUpdate);
/** Inserts text and attachments into the composer. `sends`: also sends them, unless the user has typed something there. */
export const didInsertDraft = defineNotification(
  'chat/didInsert',
  z.object({ ...Draft.shape, sends: optional(z.boolean()) }),
);
/** Shows an entry of the conversation, if the page displays that. */
export const didRequestEntry = defineNotification('chat/didRequestEntry', z.object({ ...inSession, entryId: Text }));
/** Notifies the page of a command from the Command Palette or title bar. */
export const didInvokeCommand = defineNotification(
  'chat/didAsk',
  z.object({ what: z.enum(['focusComposer', 'showSessions', 'focusApproval', 'allow', 'deny', 'find', 'playSound']) }),
);

export const chatRequests = {
  /**
   * The page has loaded. The host replies with a complete `didUpdate`. `unconfirmed` are the prompts that an earlier load of
   * the page has sent without getting an answer. Those that did not arrive go back to the draft.
   */
  ready: defineRequestWithoutResult(
    'chat/ready',
    z.object({ unconfirmed: optional(z.array(z.object({ sessionId: optional(Text), draft: Draft }))) }),
  ),
  /** The page has shown a `didUpdate`, and had time for the user's keys. Sent once for each. */
  shown: defineRequestWithoutResult('chat/shown', NoValue),
  /** Heartbeat that the page sends every few seconds while it is visible. */
  alive: defineRequestWithoutResult('chat/alive', NoValue),
  /** The page has received the focus. Commands apply to the page that had the focus last. */
  focused: defineRequestWithoutResult('chat/focused', NoValue),
  /** The page has lost the focus. */
  blurred: defineRequestWithoutResult('chat/blurred', NoValue),
  /** Removes a notice, and runs its action with this label. */
  answerNotice: defineRequestWithoutResult('chat/answerNotice', z.object({ id: Text, action: optional(Text) })),
  load: defineRequest('chat/load', z.object({ ...inSession, request: LoadRequest }), LoadAnswer),
  /** Finds the entries that show a text, in reading order, ignoring case. */
  find: defineRequest('chat/find', z.object({ ...inSession, query: Text }), z.object({ found: z.array(FoundEntry) })),

  /**
   * Sends a prompt. `duringTurn` says what becomes of it if a turn runs: it joins the turn if the agent takes it, or it is queued,
   * which is the default. `stopsTurn`: that turn is ended for the prompt; if it is over, the prompt comes before the others of the
   * queue. Without `sessionId`, starts a conversation with the backend.
   */
  send: defineRequestWithoutResult(
    'chat/send',
    z.object({ ...draftFields, duringTurn: optional(PromptDuringTurn), stopsTurn: optional(z.int()) }),
  ),
  /** Asks the agent to continue an answer that was interrupted. The draft stays unchanged. */
  continueTurn: defineRequestWithoutResult('chat/continueTurn', z.object(inSession)),
  /** Sends the prompt of a failed turn again. Does nothing unless the conversation ends with this entry. */
  retry: defineRequestWithoutResult('chat/retry', z.object({ ...inSession, entryId: Text })),
  /** Continues in a new session, of the same agent or of another one that the user picks. The last prompt becomes the draft. */
  continueWith: defineRequestWithoutResult('chat/continueWith', z.object({ ...inSession, isSameAgent: z.boolean() })),
  /** Ends the turn and keeps the queue. */
  stop: defineRequestWithoutResult('chat/stop', z.object(inSession)),
  /** Stops what one entry shows while the turn goes on, or denies what it waits for. Answered when that is done. */
  stopCall: defineRequestWithoutResult('chat/stopCall', z.object({ ...inSession, entryId: Text })),
  /**
   * Answers an approval. `option` is the exact label, and `shown` that of the view that the page has drawn. `reason` is sent
   * as the next prompt.
   */
  approve: defineRequestWithoutResult(
    'chat/approve',
    z.object({ ...inSession, approvalId: Text, option: Text, shown: optional(Text), reason: optional(Draft) }),
  ),
  /** Removes a prompt from the queue and returns it. With `isEdited`, the host also appends the prompt to the draft. */
  unqueue: defineRequest('chat/unqueue', z.object({ ...inSession, id: Text, isEdited: z.boolean() }), Draft),
  /** Asks the agent to take a queued prompt into the turn that runs. It stays queued if the agent cannot. */
  steerQueued: defineRequestWithoutResult('chat/steerQueued', z.object({ ...inSession, id: Text })),
  /** Ends this turn, if it runs, and sends the queued prompt before the others when the agent is free. */
  stopAndSend: defineRequestWithoutResult(
    'chat/stopAndSend',
    z.object({ ...inSession, id: Text, turn: optional(z.int()) }),
  ),
  /** Sends the first queued prompt. Needed after a turn that failed or was stopped. */
  sendQueued: defineRequestWithoutResult('chat/sendQueued', z.object(inSession)),
  /** Asks the user whether to restore the conversation, files or both to the state before a prompt. */
  restore: defineRequestWithoutResult('chat/restore', z.object({ ...inSession, entryId: Text })),
  /** Continues the conversation from before a prompt, and places the prompt in the composer. */
  editAndResend: defineRequestWithoutResult('chat/editAndResend', z.object({ ...inSession, entryId: Text })),
  /** Opens a side question about the conversation, and about this text of it. */
  askAside: defineRequestWithoutResult('chat/askAside', z.object({ ...inSession, quote: Text })),
  /** Keeps the side question that is shown. */
  keepAside: defineRequestWithoutResult('chat/keepAside', z.object(inSession)),
  undoRestore: defineRequestWithoutResult('chat/undoRestore', z.object({ ...inSession, restoreId: Text })),
  saveDraft: defineRequestWithoutResult('chat/saveDraft', z.object(draftFields)),
  /** Sets an option. Without `sessionId`, sets it for the next conversation with the current backend. */
  setOption: defineRequestWithoutResult(
    'chat/setOption',
    z.object({ sessionId: optional(Text), optionId: Text, value: z.union([Text, z.boolean()]) }),
  ),
  /** Prepares a session to know its options. Sent when the user types the first character or opens the options. */
  prepare: defineRequestWithoutResult('chat/prepare', NoValue),
  toggleContext: defineRequestWithoutResult('chat/toggleContext', z.object({ kind: Text, isOn: z.boolean() })),

  /** Refreshes the backends. `didUpdate` reports the changes. */
  refreshBackends: defineRequestWithoutResult('chat/lookAtBackends', NoValue),
  chooseBackend: defineRequestWithoutResult('chat/chooseBackend', z.object({ backendId: Text })),
  /** Begins the next conversation of an empty page with a preset; without a name, without one. */
  choosePreset: defineRequestWithoutResult('chat/choosePreset', z.object({ name: optional(Text) })),
  /** Opens the setting with the instructions, or the one with the presets. */
  editStanding: defineRequestWithoutResult(
    'chat/editStanding',
    z.object({ what: z.enum(['instructions', 'presets']) }),
  ),
  /** Offers a remedy for a backend that is not ready: sign in, settings, restart. */
  repairBackend: defineRequestWithoutResult(
    'chat/repairBackend',
    z.object({ backendId: Text, how: z.optional(z.enum(['install', 'edit', 'signIn'])) }),
  ),
  /** Prompts that are useful in this workspace. */
  starters: defineRequest('chat/starters', NoValue, z.object({ starters: z.array(Draft) })),
  /** Lists the files with instructions in the workspace that a backend reads by itself. */
  instructionFiles: defineRequest(
    'chat/instructionFiles',
    z.object({ backendId: Text }),
    z.object({ files: z.array(z.object({ path: Text, name: Text })) }),
  ),
  showLog: defineRequestWithoutResult('chat/showLog', NoValue),
  /** Puts the comments that were not sent into the composer. */
  sendComments: defineRequestWithoutResult('chat/sendComments', NoValue),
  /** Opens the page of agents. */
  showAgents: defineRequestWithoutResult('chat/showAgents', NoValue),
  manageTrust: defineRequestWithoutResult('chat/manageTrust', NoValue),
  openFolder: defineRequestWithoutResult('chat/openFolder', NoValue),
  /** Shows an empty page. The first prompt then creates the conversation. */
  newSession: defineRequestWithoutResult('chat/newSession', z.object({ backendId: optional(Text) })),
  openSession: defineRequestWithoutResult('chat/openSession', z.object(inSession)),
  /** Asks where the folder of a conversation is now. */
  locateFolder: defineRequestWithoutResult('chat/locateFolder', z.object(inSession)),
  /** Brings the window to the front that runs the conversation, and shows it there. */
  goToWindow: defineRequestWithoutResult('chat/goToWindow', z.object(inSession)),
  openInTab: defineRequestWithoutResult('chat/openInTab', z.object(inSession)),
  renameSession: defineRequestWithoutResult('chat/renameSession', z.object({ ...inSession, title: Text })),
  /** Deletes a conversation. The host asks the user to confirm. */
  deleteSession: defineRequestWithoutResult('chat/deleteSession', z.object(inSession)),
  searchSessions: defineRequest(
    'chat/searchSessions',
    z.object({ query: Text }),
    z.object({ sessions: z.array(ConversationRow) }),
  ),
  /** Lists the sessions that a backend stores, and starts it. While it runs, `searchSessions` includes them. */
  listRemoteSessions: defineRequest(
    'chat/lookForSessions',
    z.object({ backendId: Text }),
    z.object({ sessions: z.array(ConversationRow) }),
  ),
  /** Cancels `listRemoteSessions`. */
  cancelListing: defineRequestWithoutResult('chat/stopLooking', NoValue),
  exportSession: defineRequestWithoutResult(
    'chat/exportSession',
    z.object({ ...inSession, format: z.enum(['markdown', 'html', 'json']) }),
  ),

  /** Returns rows for `@`. `kind`: only from one source. `isMore`: waits for more rows of the same query. */
  mentions: defineRequest(
    'chat/mentions',
    z.object({ query: Text, kind: optional(Text), isMore: optional(z.boolean()) }),
    z.object({ rows: z.array(MentionRow), isPartial: optional(z.boolean()) }),
  ),
  /** Lists the prompt files of the workspace and of the user. */
  /** Opens the text that an attachment of the draft adds to the prompt. */
  openAttachment: defineRequestWithoutResult('chat/openAttachment', z.object({ attachment: DraftAttachment })),
  promptFiles: defineRequest('chat/promptFiles', NoValue, z.object({ files: z.array(PromptFileRow) })),
  /** Returns the text of a prompt file with the arguments filled in, to put it into the composer. Absent if the user cancels. */
  fillPromptFile: defineRequest(
    'chat/fillPromptFile',
    z.object({ id: Text, args: Text }),
    z.object({ filled: optional(Draft) }),
  ),
  /** Returns rows for files and folders that were dropped on the composer, as URIs or paths. */
  rowsForDrop: defineRequest(
    'chat/dropped',
    z.object({ uris: z.array(Text) }),
    z.object({ rows: z.array(MentionRow) }),
  ),

  /** Returns the complete entry. A very large entry opens in an editor, and is returned in shortened form. */
  showAll: defineRequest('chat/showAll', z.object({ ...inSession, entryId: Text }), z.object({ entry: Entry })),
  /** Returns the parts of an approval. Only those that are too large for a page are shortened. */
  showApproval: defineRequest(
    'chat/showApproval',
    z.object({ ...inSession, approvalId: Text }),
    z.object({ parts: z.array(Part) }),
  ),
  /** Opens a diff of a transcript entry. `part` is the index of the diff in the entry's parts. */
  openDiff: defineRequestWithoutResult('chat/openDiff', z.object({ ...inSession, entryId: Text, part: z.int() })),
  openApprovalDiff: defineRequestWithoutResult(
    'chat/openApprovalDiff',
    z.object({ ...inSession, approvalId: Text, part: z.int() }),
  ),
  /** Opens a path or link in the transcript. `line` is 1-based. */
  open: defineRequestWithoutResult(
    'chat/open',
    z.object({ target: Text, line: optional(z.int()), column: optional(z.int()) }),
  ),
  copy: defineRequestWithoutResult('chat/copy', z.object({ text: Text })),
  insertAtCursor: defineRequestWithoutResult('chat/insertAtCursor', z.object({ text: Text })),
  /** Proposes the code as a change to `path`, or to the active file. */
  applyCode: defineRequestWithoutResult('chat/applyCode', z.object({ text: Text, path: optional(Text) })),
  openAsNewFile: defineRequestWithoutResult('chat/openAsNewFile', z.object({ text: Text, language: optional(Text) })),
  /** Opens an HTML document of an answer in the browser. */
  openView: defineRequestWithoutResult('chat/openView', z.object({ html: Text })),

  /** Opens a diff of a file: from before the conversation to now, or from before to after `turn`. */
  openChange: defineRequestWithoutResult('chat/openChange', z.object({ ...inSession, ...changedFile, path: Text })),
  /** Lets the user choose an agent that reviews the changes. */
  reviewWithAgent: defineRequestWithoutResult('chat/reviewWithAgent', z.object({})),
  /** Opens all remaining changes of the conversation, or all changes of one turn, in one diff editor. */
  reviewChanges: defineRequestWithoutResult('chat/reviewChanges', z.object({ ...inSession, turn: optional(z.int()) })),
  /** Reverts the changes to one file, or to all files without `path`; only those of `turn`, if set. */
  revert: defineRequestWithoutResult('chat/revert', z.object({ ...inSession, ...changedFile })),
  /** Keeps the changes to one file, or to all files without `path`. */
  keepChanges: defineRequestWithoutResult(
    'chat/keepChanges',
    z.object({ ...inSession, path: optional(Text), renamedFrom: optional(Text) }),
  ),
} as const;
