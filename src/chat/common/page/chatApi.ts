import * as z from 'zod/mini';
import { Entry, Part } from '../../../transcript/common/entries';
import { TranscriptPatch } from '../../../transcript/common/patch';
import { defineAction, defineNotification, defineRequest, Nothing } from '../../../webview/common/protocol';
import {
  BackendView,
  CommandView,
  ContextChipView,
  Draft,
  MentionRow,
  OptionView,
  SessionRow,
  SessionView,
  Unattended,
} from '../chatView';

/** What the page of the chat asks of its host, and what the host tells it. */

const Text = z.string();
const inSession = { sessionId: Text };
const optional = z.optional;
/** `revision` grows with each change of the composer, as long as the page lives. */
const typed = { sessionId: optional(Text), revision: z.int(), ...Draft.shape };

/** The host posts at most one of these a frame; what is absent has not changed. */
export const ChatUpdate = z.object({
  /** The conversation that is shown; null when there is none. */
  session: optional(z.nullable(SessionView)),
  /** Of the conversation that is shown. */
  transcript: optional(TranscriptPatch),
  sessions: optional(z.array(SessionRow)),
  backends: optional(z.array(BackendView)),
  chosenBackend: optional(Text),
  /** What can be chosen for a session of the backend of the conversation that is shown, or would begin. */
  newOptions: optional(z.array(OptionView)),
  /** What the agent of the conversation has been seen to do without asking; null when nothing was. */
  seenUnattended: optional(z.nullable(Unattended)),
  /** The commands that the agent of a new conversation had last. */
  newCommands: optional(z.array(CommandView)),
  /** What goes along with the prompts of the conversation that is shown, or would begin, by itself. */
  chips: optional(z.array(ContextChipView)),
  /** With which keys shortcuts of several keys begin, see `chordBeginnings`. */
  keyChords: optional(z.array(Text)),
  /** The workspace's folders, absolute: paths are shown relative to them. */
  folders: optional(z.array(Text)),
  /** The draft of the conversation that is shown: told when it is shown, and when what was refused is back in it. */
  draft: optional(Draft),
  /** This was sent from the conversation that is shown, by this page or another one: who still has it in the composer drops it. */
  sent: optional(Draft),
  /** This was sent and is back: who has typed since has it before that. */
  refused: optional(Draft),
  /** The conversation has begun with a prompt of this page, or could not: what is typed belongs to what is shown now. */
  keepsComposer: optional(z.boolean()),
  /** Ids of the attachments in the draft whose files are gone: they would not be sent. */
  missing: optional(z.array(Text)),
  /** For the history of the composer, newest last. */
  history: optional(z.array(Text)),
  /** Workspace trust is missing: agents cannot be started. */
  untrusted: optional(z.boolean()),
});
export type ChatUpdate = z.infer<typeof ChatUpdate>;

export const didUpdate = defineNotification('chat/didUpdate', ChatUpdate);
/** Puts text and attachments into the composer, and the cursor behind it. */
export const didInsert = defineNotification('chat/didInsert', Draft);
/** To be carried out by the page: commands of the palette and of the title bar. */
export const didAsk = defineNotification(
  'chat/didAsk',
  z.object({ what: z.enum(['focusComposer', 'showSessions', 'focusApproval', 'allow', 'deny', 'find']) }),
);

export const chatRequests = {
  /** The page is there and knows nothing: everything is told by `didUpdate` after this. */
  ready: defineAction('chat/ready', Nothing),
  /** The page is alive; sent every few seconds while it is visible. */
  alive: defineAction('chat/alive', Nothing),
  /** The focus has come to the page, or moved in it: commands mean the page that had it last. */
  focused: defineAction('chat/focused', Nothing),
  loadOlder: defineAction(
    'chat/loadOlder',
    z.object({ ...inSession, count: z.int().check(z.positive(), z.lte(1_000)) }),
  ),

  /** Queues the prompt while a turn runs. Without a session it makes one with the chosen backend. */
  send: defineAction('chat/send', z.object(typed)),
  /** Asks to go on with an answer that was cut off; the draft stays. */
  continueTurn: defineAction('chat/continueTurn', z.object(inSession)),
  /** Ends the turn and keeps the queue. */
  stop: defineAction('chat/stop', z.object(inSession)),
  /** `option` is the label, byte for byte; a `reason` for it is the next prompt. */
  approve: defineAction(
    'chat/approve',
    z.object({ ...inSession, approvalId: Text, option: Text, reason: optional(Text) }),
  ),
  /** Takes the prompt out of the queue, and returns it. One that is edited goes behind what is in the draft. */
  unqueue: defineRequest('chat/unqueue', z.object({ ...inSession, id: Text, isEdited: z.boolean() }), Draft),
  /** Sends the first of the queue now, after a turn that did not end well. */
  sendQueued: defineAction('chat/sendQueued', z.object(inSession)),
  /** What was sent as that prompt, to be edited and sent again. */
  promptToEdit: defineRequest('chat/promptToEdit', z.object({ ...inSession, entryId: Text }), Draft),
  saveDraft: defineAction('chat/saveDraft', z.object(typed)),
  /** Without a session: of the next one with the backend of the conversation that is shown, or would begin. */
  setOption: defineAction(
    'chat/setOption',
    z.object({ sessionId: optional(Text), optionId: Text, value: z.union([Text, z.boolean()]) }),
  ),
  /** The user is about to begin a conversation: its options are wanted now. Comes with the first key, or when options are opened. */
  prepare: defineAction('chat/prepare', Nothing),
  toggleContext: defineAction('chat/toggleContext', z.object({ kind: Text, isOn: z.boolean() })),

  /** The user looks at the backends: what has changed comes by `didUpdate`. */
  lookAtBackends: defineAction('chat/lookAtBackends', Nothing),
  chooseBackend: defineAction('chat/chooseBackend', z.object({ backendId: Text })),
  /** What can be done about a backend that is not ready: sign in, settings, restart. */
  repairBackend: defineAction(
    'chat/repairBackend',
    z.object({ backendId: Text, how: z.optional(z.enum(['install', 'edit'])) }),
  ),
  /** Why agents do not start, and how to change it. */
  manageTrust: defineAction('chat/manageTrust', Nothing),
  /** Asks the user for a folder to work in. */
  openFolder: defineAction('chat/openFolder', Nothing),
  /** Shows the empty page; the conversation begins with the first prompt. */
  newSession: defineAction('chat/newSession', z.object({ backendId: optional(Text) })),
  openSession: defineAction('chat/openSession', z.object(inSession)),
  openInTab: defineAction('chat/openInTab', z.object(inSession)),
  renameSession: defineAction('chat/renameSession', z.object({ ...inSession, title: Text })),
  /** The host asks the user first. */
  deleteSession: defineAction('chat/deleteSession', z.object(inSession)),
  searchSessions: defineRequest(
    'chat/searchSessions',
    z.object({ query: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** What an agent keeps itself; it is started for it. They are in `searchSessions`, too, while it runs. */
  lookForSessions: defineRequest(
    'chat/lookForSessions',
    z.object({ backendId: Text }),
    z.object({ sessions: z.array(SessionRow) }),
  ),
  /** Ends the looking; what was found is not told. */
  stopLooking: defineAction('chat/stopLooking', Nothing),
  exportSession: defineAction(
    'chat/exportSession',
    z.object({ ...inSession, format: z.enum(['markdown', 'html', 'json']) }),
  ),

  /** For `@`: `kind` narrows to one source. With `isMore` it is answered when there are more rows for the same query. */
  mentions: defineRequest(
    'chat/mentions',
    z.object({ query: Text, kind: optional(Text), isMore: optional(z.boolean()) }),
    z.object({ rows: z.array(MentionRow), isPartial: optional(z.boolean()) }),
  ),
  /** Files and folders dropped on the composer, as URIs or paths. */
  dropped: defineRequest('chat/dropped', z.object({ uris: z.array(Text) }), z.object({ rows: z.array(MentionRow) })),

  /** The whole entry, with nothing cut away; very large ones open in an editor instead, and come as they were. */
  showAll: defineRequest('chat/showAll', z.object({ ...inSession, entryId: Text }), z.object({ entry: Entry })),
  /** What a question shows, with as little cut away as a page can show. */
  showApproval: defineRequest(
    'chat/showApproval',
    z.object({ ...inSession, approvalId: Text }),
    z.object({ parts: z.array(Part) }),
  ),
  /** `part` is the index of a diff in the entry's parts. */
  openDiff: defineAction('chat/openDiff', z.object({ ...inSession, entryId: Text, part: z.int() })),
  openApprovalDiff: defineAction('chat/openApprovalDiff', z.object({ ...inSession, approvalId: Text, part: z.int() })),
  /** A path or a link of the transcript; `line` is 1-based. */
  open: defineAction('chat/open', z.object({ target: Text, line: optional(z.int()) })),
  copy: defineAction('chat/copy', z.object({ text: Text })),
  insertAtCursor: defineAction('chat/insertAtCursor', z.object({ text: Text })),
  /** Shows the code as a change of the file it names, or of the active one, to be accepted. */
  applyCode: defineAction('chat/applyCode', z.object({ text: Text, path: optional(Text) })),
  openAsNewFile: defineAction('chat/openAsNewFile', z.object({ text: Text, language: optional(Text) })),

  /** How a file was before the conversation began, beside how it is; with a `turn` as that one has found it and left it. */
  openChange: defineAction('chat/openChange', z.object({ ...inSession, path: Text, turn: optional(z.int()) })),
  /** One file, or all without a path; with a `turn` only what that one has changed in the file. */
  revert: defineAction('chat/revert', z.object({ ...inSession, path: optional(Text), turn: optional(z.int()) })),
  /** Keeps what was changed: it is no longer listed. */
  keepChanges: defineAction('chat/keepChanges', z.object({ ...inSession, path: optional(Text) })),
} as const;
