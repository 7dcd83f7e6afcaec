import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import type { EditorPort } from '../../../editor/common/editorPort';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import type { LineMatch, FileMatches, TextQuery, TextSearch } from './textSearch';
import { ToolError } from '../toolError';
import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

const maxFiles = 3_000;
const maxFileBytes = 1_024 * 1_024;
const maxMatchesPerFile = 500;
const maxLineLength = 2_000;

/** Text search through the editor port, if ripgrep is missing: slower, and limited in files. */
export class EditorSearch implements TextSearch {
  constructor(
    private readonly editor: Pick<EditorPort, 'glob' | 'readText'>,
    private readonly runWithTimeLimit: RunWithTimeLimit,
  ) {}

  async *findText({ include, ...query }: TextQuery, signal: AbortSignal): AsyncGenerator<FileMatches> {
    const matcher = matcherOf(query);
    const glob = include === undefined ? '**/*' : include.includes('/') ? include : `**/${include}`;
    for (const path of await this.editor.glob(glob, { maxResults: maxFiles, signal })) {
      if (signal.aborted) return;
      const text = await this.readTextIfSearchable(path, signal);
      if (text === undefined) continue;
      const matches = this.runWithTimeLimit(() => findLines(text, matcher));
      if (!matches) throw new ToolError('The pattern takes too long. Make it simpler.');
      if (matches.length > 0) yield { path, matches };
    }
  }

  private async readTextIfSearchable(path: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { text } = await this.editor.readText(path, { maxBytes: maxFileBytes, signal });
      return text.includes('\0') ? undefined : text;
    } catch {
      return undefined;
    }
  }
}

function matcherOf({ pattern, isRegex, isCaseSensitive, isWholeWord }: Omit<TextQuery, 'include'>): RegExp {
  const source = isRegex ? pattern : escapeRegExp(pattern);
  const whole = isWholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  try {
    return new RegExp(whole, isCaseSensitive ? 'u' : 'iu');
  } catch {
    throw new ToolError('The pattern is not a regular expression.');
  }
}

function findLines(text: string, matcher: RegExp): readonly LineMatch[] {
  const lines = new LineIndex(text);
  const found: LineMatch[] = [];
  for (let line = 0; line < lines.lineCount && found.length < maxMatchesPerFile; line++) {
    const content = lines.lineText(line);
    const match = matcher.exec(content);
    if (match) found.push({ line, character: match.index, text: content.slice(0, maxLineLength) });
  }
  return found;
}
