import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { MentionRow } from '../chatView';
import { matchesKeyword, estimateTokens } from './mentions';

interface OpenEditorsMentionPorts {
  readonly editor: Pick<EditorPort, 'stat' | 'resolve'>;
  /** Returns the absolute paths of files that are open in tabs, the active file first. */
  readonly openFiles: () => readonly string[];
}

const maxFiles = 20;

/** All files that are open in tabs, as a single row. */
export class OpenEditorsMention implements MentionSource {
  readonly kind = 'editors';

  constructor(private readonly ports: OpenEditorsMentionPorts) {}

  async search(query: string): Promise<MentionRow[]> {
    if (!matchesKeyword(query, 'open editors', 'editors', 'tabs')) return [];
    const { editor, openFiles } = this.ports;
    const paths = openFiles().slice(0, maxFiles);
    const stats = await Promise.all(paths.map((path) => editor.stat(path).catch(() => undefined)));
    const sizes = stats.flatMap((stat) => (stat ? [stat.size] : []));
    if (sizes.length === 0) return [];
    const tokens = sizes.reduce((sum, size) => sum + estimateTokens(size), 0);
    return [
      {
        kind: 'editors',
        id: 'editors',
        title: `Open editors (${sizes.length})`,
        tokens,
        detail: 'All files open in tabs',
      },
    ];
  }

  /** Returns the files that are open at the time when the prompt is sent. */
  async resolve(): Promise<readonly PromptAttachment[]> {
    const { editor, openFiles } = this.ports;
    const paths = openFiles().slice(0, maxFiles);
    const found = await Promise.all(paths.map((path) => editor.resolve(path).catch(() => undefined)));
    return found.flatMap((path) => (path === undefined ? [] : [{ type: 'file' as const, path }]));
  }
}
