import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { EditorPort, FileDiagnostics } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { DraftAttachment, MentionRow } from '../chatView';
import { matchesKeyword, estimateTokens } from './mentions';

const maxFiles = 200;
/** Maximum length of the sent text, in UTF-16 units. */
const maxLength = 32 * 1024;

/** The problems in VS Code's Problems view, for the workspace and for the active file. */
export class ProblemMentions implements MentionSource {
  readonly kind = 'problems';

  constructor(private readonly editor: Pick<EditorPort, 'diagnostics' | 'visibleFiles'>) {}

  async search(query: string, signal: AbortSignal): Promise<MentionRow[]> {
    if (!matchesKeyword(query, 'problems', 'errors', 'diagnostics')) return [];
    const all = await this.editor.diagnostics(undefined, { maxFiles, signal });
    const [active] = this.editor.visibleFiles;
    const rows = rowsOf(all, 'Problems', { detail: 'In the workspace' });
    if (active === undefined || all.length < 2) return rows;
    const ofActive = all.filter(({ path }) => path === active);
    return [...rows, ...rowsOf(ofActive, 'Problems in this file', { path: active, detail: active })];
  }

  async resolve({ path }: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]> {
    const found = await this.editor.diagnostics(path, { maxFiles, signal });
    if (found.length === 0) return [];
    // The text has no URI, because an agent would mistake it for the contents of that file.
    const title = path === undefined ? 'Problems' : `Problems in ${path}`;
    return [{ type: 'text', title, text: textOf(found) }];
  }
}

function rowsOf(
  files: readonly FileDiagnostics[],
  name: string,
  about: { path?: string; detail: string },
): MentionRow[] {
  const count = files.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  if (count === 0) return [];
  const id = about.path === undefined ? 'problems' : `problems:${about.path}`;
  const tokens = estimateTokens(textOf(files).length);
  return [{ kind: 'problems', id, title: `${name} (${count})`, tokens, ...about }];
}

/** Formats problems like a compiler does: `path:line:column severity: message (source code)`. */
function textOf(files: readonly FileDiagnostics[]): string {
  const lines = files.flatMap(({ path, diagnostics }) =>
    diagnostics.map(({ range: { start }, severity, message, source, code }) => {
      const origin = [source, code].filter((part) => part !== undefined).join(' ');
      return `${path}:${start.line + 1}:${start.character + 1} ${severity}: ${message}${origin && ` (${origin})`}`;
    }),
  );
  const text = lines.join('\n');
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}\n… and more`;
}
