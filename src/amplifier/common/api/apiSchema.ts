import * as z from 'zod';
import { SessionEvent, optionalApprovalFields, TokenUsage } from '../../../session/common/sessionEvents';
import { isSessionStateEvent } from '../../../session/common/sessionStateEvents';

// The messages of Amplifier's REST API. Requests follow the API reference. Response schemas are more lenient, because
// the real server omits some fields and adds others.

const Text = z.string();
const Count = z.number().int().nonnegative();
const optionalText = Text.nullish().transform((value) => value ?? undefined);

/** Treats `null` as absent, because many clients (for example, with data classes) send `null` for omitted fields. */
function orNull<Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => value ?? undefined, schema);
}

/** A position: lines and characters are 0-based, and characters are UTF-16 units. The end of a range is exclusive. */
const Position = z.object({ line: Count, character: Count });
type Position = z.infer<typeof Position>;
const Range = z.object({ start: Position, end: Position });
type Range = z.infer<typeof Range>;

export const OpenFile = z.object({
  path: Text,
  language: Text,
  content: Text,
  cursor_position: orNull(Position.optional()),
});
export type OpenFile = z.infer<typeof OpenFile>;

export const GitState = z.object({
  branch: Text,
  staged_files: orNull(z.array(Text).default([])),
  modified_files: orNull(z.array(Text).default([])),
  untracked_files: orNull(z.array(Text).default([])),
});
export type GitState = z.infer<typeof GitState>;

export const ContextDiagnostic = z.object({
  path: Text,
  severity: z.enum(['error', 'warning', 'info', 'hint']),
  message: Text,
  range: Range,
});
export type ContextDiagnostic = z.infer<typeof ContextDiagnostic>;

export const ContextSelection = z.object({ path: Text, text: Text, range: Range });
export type ContextSelection = z.infer<typeof ContextSelection>;

export const WorkspaceContext = z.object({
  workspace_root: Text,
  open_files: orNull(z.array(OpenFile).optional()),
  git_state: orNull(GitState.optional()),
  diagnostics: orNull(z.array(ContextDiagnostic).optional()),
  selection: orNull(ContextSelection.optional()),
});
export type WorkspaceContext = z.infer<typeof WorkspaceContext>;

/** Changes of the context since the last prompt. `null` means that the part no longer exists. */
export const ContextUpdate = z.object({
  workspace_root: orNull(Text.optional()),
  open_files: orNull(z.array(OpenFile).optional()),
  git_state: GitState.nullable().optional(),
  diagnostics: orNull(z.array(ContextDiagnostic).optional()),
  selection: ContextSelection.nullable().optional(),
});
export type ContextUpdate = z.infer<typeof ContextUpdate>;

export const Credentials = z.object({ anthropic_api_key: orNull(Text.min(1).optional()) });
export type Credentials = z.infer<typeof Credentials>;

export const CreateSessionRequest = z.object({
  profile: Text.min(1),
  model: orNull(Text.min(1).optional()),
  credentials: orNull(Credentials.optional()),
  context: orNull(WorkspaceContext.optional()),
});
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>;

export const PromptRequest = z.object({ prompt: Text, context_update: orNull(ContextUpdate.optional()) });
export type PromptRequest = z.infer<typeof PromptRequest>;

/** The answer to an approval. `approval_id` is Backline's extension: it selects one of several. */
export const ReceivedApprovalAnswer = z.object({ decision: Text, approval_id: orNull(Text.optional()) });
export type ReceivedApprovalAnswer = z.infer<typeof ReceivedApprovalAnswer>;
/** The answer that Backline's client sends. The id may be a number, because some servers number their approvals. */
export const SentApprovalAnswer = ReceivedApprovalAnswer.extend({
  approval_id: z.union([Text, z.number()]).optional(),
});
export type SentApprovalAnswer = z.infer<typeof SentApprovalAnswer>;

export const SessionStatusName = z.enum(['idle', 'processing', 'awaiting_approval', 'error', 'stopped']);
export type SessionStatusName = z.infer<typeof SessionStatusName>;

export const CreateSessionResponse = z.object({ session_id: Text.min(1) });
export type CreateSessionResponse = z.infer<typeof CreateSessionResponse>;

export const PromptResponse = z.object({ request_id: optionalText });
export type PromptResponse = z.infer<typeof PromptResponse>;

/** The response after answering an approval, cancelling a turn or deleting a session. */
export const Acknowledgement = z.object({});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** The pending approval in a status. The API reference does not describe it. Without options, it cannot be shown. */
export const PendingApproval = z.looseObject({
  approval_id: Text,
  prompt: optionalText,
  options: z.array(Text).nullish().catch(undefined),
  ...optionalApprovalFields,
});
export type PendingApproval = z.infer<typeof PendingApproval>;

/** Converts a numeric approval id to a string. `wire_id` keeps the number, because answers to the server need it. */
export function withStringApprovalId(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { approval_id: id } = data;
  return typeof id === 'number' ? { ...data, approval_id: String(id), wire_id: id } : data;
}

/** Whether the value means "no value". Some languages serialize this as an empty object, array or string. */
function isNothing(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

function readPending(value: unknown): PendingApproval | 'unreadable' | undefined {
  if (isNothing(value)) return undefined;
  const fields = z.record(z.string(), z.unknown()).safeParse(value).data;
  return (fields && PendingApproval.safeParse(withStringApprovalId(fields)).data) ?? 'unreadable';
}

function readState(value: unknown): SessionEvent[] {
  const events = z.array(z.unknown()).safeParse(value).data ?? [];
  return events.flatMap((event) => SessionEvent.safeParse(event).data ?? []).filter(isSessionStateEvent);
}

export const SessionStatus = z
  .object({
    session_id: Text,
    status: SessionStatusName,
    last_activity: optionalText,
    token_usage: TokenUsage.nullish().catch(undefined),
    /** `unreadable`: an approval is pending, but its content could not be parsed. */
    pending_approval: z.unknown().optional().transform(readPending),
    /** Backline's extension: a client that loads the session continues after this event, from `state`. */
    last_event_id: Count.optional().catch(undefined),
    state: z.unknown().optional().transform(readState),
  })
  // A reported approval counts as pending, even if the status differs. If it were ignored, its tool call would
  // run after the time-out.
  .transform((session) =>
    session.pending_approval && (session.status === 'idle' || session.status === 'processing')
      ? { ...session, status: 'awaiting_approval' as const }
      : session,
  );
export type SessionStatus = z.infer<typeof SessionStatus>;

export const ListSessionsResponse = z.object({
  sessions: z.array(z.object({ session_id: Text, profile: optionalText, created_at: optionalText })),
});
export type ListSessionsResponse = z.infer<typeof ListSessionsResponse>;

const ModuleConfig = z.looseObject({ module: Text, source: optionalText, config: z.unknown().optional() });
const modules = z.array(ModuleConfig).nullish();

export const Profile = z.object({
  name: Text,
  collection: optionalText,
  description: optionalText,
  providers: modules,
});
export type Profile = z.infer<typeof Profile>;
export const ProfileList = z.object({ profiles: z.array(Profile) });

export const Health = z.object({ status: Text, version: optionalText });
export type Health = z.infer<typeof Health>;

export const ServerInfo = z.looseObject({ amplifier_core_version: optionalText, api_version: optionalText });
export type ServerInfo = z.infer<typeof ServerInfo>;

/** Whether this is the real server. Unlike the API reference, it reports `api_version` and cumulative token usage. */
export function isRealServer({ api_version, amplifier_core_version }: ServerInfo): boolean {
  return api_version !== undefined && amplifier_core_version === undefined;
}
