import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { EditorPort, FileDiagnostics } from '../../../editor/common/editorPort';
import type { MentionSource } from '../chatPorts';
import type { DraftAttachment, MentionRow } from '../chatView';
import { isAskedFor, tokensOf } from './mentions';

const maxFiles = 200;
/** UTF-16 units of the text that is sent. */
const maxLength = 32 * 1024;

/** VS Code's problems: of the file that is looked at, and of the whole workspace. */
export class ProblemMentions implements MentionSource {
  readonly kind = 'problems';

  constructor(private readonly editor: Pick<EditorPort, 'diagnostics' | 'visibleFiles'>) {}

  async search(query: string, signal: AbortSignal): Promise<MentionRow[]> {
    if (!isAskedFor(query, 'problems', 'errors', 'diagnostics')) return [];
    const all = await this.editor.diagnostics(undefined, { maxFiles, signal });
    const [active] = this.editor.visibleFiles;
    const ofActive = all.filter(({ path }) => path === active);
    return [
      ...this.rows(all, 'Problems', 'In the workspace'),
      ...(ofActive.length > 0 && all.length > 1 ? this.rows(ofActive, 'Problems of this file', active) : []),
    ];
  }

  async resolve({ path }: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]> {
    const found = await this.editor.diagnostics(path, { maxFiles, signal });
    if (found.length === 0) return [];
    // Without the URI of a file or folder: an agent would take the text for what is in there.
    const title = path === undefined ? 'Problems' : `Problems of ${path}`;
    return [{ type: 'text', title, text: textOf(found) }];
  }

  private rows(files: readonly FileDiagnostics[], name: string, detail: string | undefined): MentionRow[] {
    const count = files.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
    if (count === 0) return [];
    const [only] = detail === undefined || detail.startsWith('In ') ? [] : files;
    return [
      {
        kind: 'problems',
        id: only ? `problems:${only.path}` : 'problems',
        title: `${name} (${count})`,
        tokens: tokensOf(textOf(files).length),
        ...(only ? { path: only.path } : {}),
        ...(detail === undefined ? {} : { detail }),
      },
    ];
  }
}

/** `path:line:column severity message (source code)`, as compilers say it. */
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
