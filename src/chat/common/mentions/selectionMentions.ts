import type { PromptAttachment } from '../../../session/common/sessionBackend';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { EditorPort, EditorSelection } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { DraftAttachment, MentionRow } from '../chatView';
import { matchesKeyword, estimateTokens } from './mentions';

/** The lines selected in the active editor. */
export class SelectionMentions implements MentionSource {
  readonly kind = 'selection';

  constructor(private readonly editor: Pick<EditorPort, 'activeSelection' | 'resolve' | 'stat'>) {}

  search(query: string): Promise<MentionRow[]> {
    const { activeSelection } = this.editor;
    const row = activeSelection && matchesKeyword(query, 'selection') ? rowOf(activeSelection) : undefined;
    return Promise.resolve(row ? [row] : []);
  }

  async resolve({ id, path }: DraftAttachment): Promise<readonly PromptAttachment[]> {
    const [, first, last] = /#(\d+)-(\d+)$/.exec(id) ?? [];
    if (path === undefined || first === undefined || last === undefined) return [];
    const lines = { first: Number(first), last: Number(last) };
    // `stat` throws if the file was deleted; `resolve` would not.
    await this.editor.stat(path);
    return [{ type: 'file', path: await this.editor.resolve(path), lines }];
  }

  /** Returns the row of the primary selection, if anything is selected. */
  currentRow(): MentionRow | undefined {
    return this.editor.activeSelection && rowOf(this.editor.activeSelection);
  }
}

function rowOf({ path, selections: [selected] }: EditorSelection): MentionRow | undefined {
  if (!selected || selected.text === '') return undefined;
  const { start, end } = selected;
  const first = start.line + 1;
  // A selection of whole lines ends at column 0 of the next line.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const name = fileNameOf(path);
  return {
    kind: 'selection',
    id: `selection:${path}#${first}-${last}`,
    title: first === last ? `${name}:${first}` : `${name}:${first}-${last}`,
    path,
    line: first,
    tokens: estimateTokens(selected.text.length),
    detail: 'Selection',
  };
}
