import type { ToolContent } from '../../../session/common/sessionEvents';
import type { TerminalState } from './terminalStates';
import type { ContentBlock, ToolCallContent } from './wireSchema';

/** Converts a content block for display; undefined for an unknown type. */
export function contentOfBlock(block: ContentBlock): ToolContent | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', mime_type: block.mimeType, data: block.data };
    case 'audio':
      return { type: 'text', text: `[audio, ${block.mimeType}]` };
    case 'resource_link': {
      const title = block.title ?? block.name;
      return { type: 'link', uri: block.uri, ...(title === undefined ? {} : { title }) };
    }
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      if (text !== undefined) return { type: 'text', text };
      if (blob !== undefined && mimeType?.startsWith('image/'))
        return { type: 'image', mime_type: mimeType, data: blob };
      return { type: 'link', uri };
    }
    case 'unknown':
      return undefined;
  }
}

export function toToolContent(
  content: readonly ToolCallContent[],
  terminal: (id: string) => TerminalState,
): ToolContent[] {
  return content.flatMap((item): ToolContent[] => {
    switch (item.type) {
      case 'content': {
        const shown = contentOfBlock(item.content);
        return shown ? [shown] : [];
      }
      case 'words':
        return [{ type: 'text', text: item.text, role: item.role }];
      case 'diff':
        return [{ type: 'diff', path: item.path, old_text: item.oldText ?? null, new_text: item.newText }];
      case 'change':
        return [{ type: 'text', text: item.text }];
      case 'terminal':
        return [terminalContent(item.terminalId, terminal(item.terminalId))];
      case 'unknown':
        return [];
    }
  });
}

/** Returns the text of a block in a replayed prompt. Converts links and files to Markdown links. */
export function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.title ?? block.name ?? block.uri}](${block.uri})`;
    case 'resource':
      return `[${block.resource.uri}](${block.resource.uri})`;
    case 'image':
      return '[image]';
    case 'audio':
      return '[audio]';
    case 'unknown':
      return '';
  }
}

function terminalContent(id: string, { output, truncated, exit }: TerminalState): ToolContent {
  return {
    type: 'terminal',
    terminal_id: id,
    output,
    ...(truncated ? { truncated } : {}),
    ...(exit ? { exit_code: exit.code, signal: exit.signal } : {}),
  };
}
