import type { ContextUpdate, OpenFile, WorkspaceContext } from '../api/apiSchema';
import type { PromptAttachment } from '../../../session/common/sessionBackend';

/** Where a session gets what the agent is told of the editor. Never rejects for a part that cannot be read: leaves it out. */
export interface ContextSource {
  /** `folder` (absolute) is the session's; without one it is the first of the workspace. */
  collect(folder?: string): Promise<WorkspaceContext>;
  /** The files that the user attached as a whole; those that are not for peers are left out. */
  openFiles(paths: readonly string[]): Promise<OpenFile[]>;
}

/** The parts of `current` that are not as they were `last`: each of them whole. Everything when there was nothing before. */
export function contextChanges(last: WorkspaceContext | undefined, current: WorkspaceContext): ContextUpdate {
  const update: ContextUpdate = {};
  if (last?.workspace_root !== current.workspace_root) update.workspace_root = current.workspace_root;
  if (differ(last?.open_files, current.open_files)) update.open_files = current.open_files ?? [];
  if (differ(last?.diagnostics, current.diagnostics)) update.diagnostics = current.diagnostics ?? [];
  if (differ(last?.git_state, current.git_state)) update.git_state = current.git_state ?? null;
  if (differ(last?.selection, current.selection)) update.selection = current.selection ?? null;
  return update;
}

/** Attached files come first in the list of open files. That is always the whole list: a server may replace the last one. */
export function withAttached(
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

/**
 * The text of a prompt with what the API has no field for: texts, parts of files. Every one is fenced by more backticks
 * than it holds.
 */
export function promptText(text: string, attachments: readonly PromptAttachment[]): string {
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
