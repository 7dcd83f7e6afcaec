import type { ContextUpdate, OpenFile, WorkspaceContext } from '../api/apiSchema';
import type { PromptAttachment } from '../../../session/common/sessionBackend';

/** Provides the editor context for a session's agent. If a part cannot be read, it is omitted and nothing rejects. */
export interface ContextSource {
  /** Collects the context. `folder`: absolute path of the session's folder; default is the first workspace folder. */
  collect(folder?: string): Promise<WorkspaceContext>;
  /** Reads attached files. Omits files that peers may not access. */
  readFiles(paths: readonly string[]): Promise<OpenFile[]>;
}

/** Returns the parts of `current` that differ from `last`. Each of these parts is complete. */
export function diffContext(last: WorkspaceContext | undefined, current: WorkspaceContext): ContextUpdate {
  const update: ContextUpdate = {};
  if (last?.workspace_root !== current.workspace_root) update.workspace_root = current.workspace_root;
  if (differ(last?.open_files, current.open_files)) update.open_files = current.open_files ?? [];
  if (differ(last?.diagnostics, current.diagnostics)) update.diagnostics = current.diagnostics ?? [];
  if (differ(last?.git_state, current.git_state)) update.git_state = current.git_state ?? null;
  if (differ(last?.selection, current.selection)) update.selection = current.selection ?? null;
  return update;
}

/** Adds attached files at the start of the open files. The list is complete, because a server may replace its own. */
export function withAttachedFiles(
  update: ContextUpdate,
  current: WorkspaceContext,
  attached: readonly OpenFile[],
): ContextUpdate {
  if (attached.length === 0) return update;
  const paths = new Set(attached.map(({ path }) => path));
  const others = (current.open_files ?? []).filter(({ path }) => !paths.has(path));
  return { ...update, open_files: [...attached, ...others] };
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** Appends attachments to the prompt for which the API has no field: texts in code blocks, and parts of files. */
export function appendAttachmentsToPrompt(text: string, attachments: readonly PromptAttachment[]): string {
  const sections = attachments.flatMap((attachment) => {
    if (attachment.type === 'text') {
      const { title, uri } = attachment;
      return [`${uri === undefined ? title : `${title} (${uri})`}:\n${fenced(attachment.text)}`];
    }
    if (attachment.type === 'image') return [];
    const { path, lines } = attachment;
    return [lines ? `See ${path}, lines ${lines.first} to ${lines.last}.` : `See ${path}.`];
  });
  return [text, ...sections].join('\n\n');
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
