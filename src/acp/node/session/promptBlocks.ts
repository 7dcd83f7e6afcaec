import type { ContentBlock } from '@agentclientprotocol/sdk';
import { posix, win32 } from 'node:path';
import type { PromptAttachment, PromptInput } from '../../../session/common/sessionBackend';
import { toFileUri } from '../../../base/common/addresses/fileUri';
import type { EditorPort } from '../../../editor/common/editorPort';

interface PromptCapabilities {
  readonly images: boolean;
  readonly embeddedContext: boolean;
}

interface PromptBlocks {
  readonly blocks: ContentBlock[];
  readonly notes: readonly string[];
}

/** Maximum size of an embedded file, in bytes. Larger files are sent as links, which the agent can read. */
const maxEmbeddedBytes = 512 * 1024;

/** Converts a prompt to content blocks. Attachments come first. */
export async function toPromptBlocks(
  input: PromptInput,
  abilities: PromptCapabilities,
  editor: Pick<EditorPort, 'readText'>,
): Promise<PromptBlocks> {
  const notes: string[] = [];
  const blocks: ContentBlock[] = [];
  for (const attachment of input.attachments ?? []) {
    if (attachment.type === 'image' && !abilities.images) {
      notes.push('Image not sent: this agent doesn’t support images.');
    } else {
      blocks.push(await toBlock(attachment, abilities, editor));
    }
  }
  blocks.push({ type: 'text', text: input.text });
  return { blocks, notes };
}

async function toBlock(
  attachment: PromptAttachment,
  { embeddedContext }: PromptCapabilities,
  editor: Pick<EditorPort, 'readText'>,
): Promise<ContentBlock> {
  switch (attachment.type) {
    case 'image':
      return { type: 'image', mimeType: attachment.mimeType, data: attachment.data };
    case 'text': {
      const { uri, title, text } = attachment;
      // A resource needs a URI. This URI cannot be mistaken for a path.
      const named = uri ?? `backline:${encodeURIComponent(title)}`;
      if (embeddedContext) return { type: 'resource', resource: { uri: named, text } };
      return { type: 'text', text: `${uri === undefined ? title : `${title} (${uri})`}:\n\n${text}` };
    }
    case 'file': {
      const { path, lines } = attachment;
      const uri = `${toFileUri(path)}${lines ? `#L${lines.first}-L${lines.last}` : ''}`;
      // A file that cannot be read as text (too large, binary, deleted) is sent as a link.
      const file = embeddedContext
        ? await editor
            // The lines of a selection are those of the buffer.
            .readText(path, { maxBytes: maxEmbeddedBytes, ...(lines ? { fromBuffer: 'asIs' } : {}) })
            .catch(() => undefined)
        : undefined;
      if (!file) return { type: 'resource_link', uri, name: baseName(path) };
      const text = lines ? linesOf(file.text, lines.first, lines.last) : file.text;
      return { type: 'resource', resource: { uri, text } };
    }
  }
}

function linesOf(text: string, first: number, last: number): string {
  return text
    .split('\n')
    .slice(first - 1, last)
    .join('\n');
}

function baseName(path: string): string {
  return /^([A-Za-z]:|\\\\)/.test(path) ? win32.basename(path) : posix.basename(path);
}
