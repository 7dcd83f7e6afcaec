import type { Attachment } from '../../../../transcript/common/entries';
import { baseName, pathOrUriPath } from '../../model/fileUriPath';
import { isRecord, asList, asNonEmptyText } from '../../model/jsonValues';
import { MentionedOrGuidanceFile, type Message } from '../../model/threadSchema';
import { inlineImagePart, imageAttachment } from './images';

/** Returns a prompt's attachments: mentioned files, the state of the editor, guidance files and the sender. */
export function attachmentsOf(message: Message): readonly Attachment[] {
  return [
    ...(message.fileMentions?.files ?? []).map(mentionedFile),
    ...editorState(message.userState),
    ...(message.discoveredGuidanceFiles ?? []).map(guidanceFile),
    ...senderOf(message),
  ];
}

function mentionedFile(file: unknown): Attachment {
  const parsed = MentionedOrGuidanceFile.safeParse(file).data;
  if (!parsed) return unknownFile(file, 'File');
  const path = pathOrUriPath(parsed.uri);
  if (parsed.isImage !== true && !parsed.imageInfo) return { kind: 'file', title: baseName(path), path };
  const part =
    parsed.content === undefined
      ? undefined
      : inlineImagePart(parsed.imageInfo?.mimeType ?? 'image/png', parsed.content);
  return (part && imageAttachment(part, path)) ?? { kind: 'image', title: baseName(path), path };
}

function guidanceFile(file: unknown): Attachment {
  const parsed = MentionedOrGuidanceFile.safeParse(file).data;
  if (!parsed) return unknownFile(file, 'Guidance');
  const path = pathOrUriPath(parsed.uri);
  return { kind: 'context', title: `Guidance: ${baseName(path)}`, path };
}

function editorState(state: Message['userState']): readonly Attachment[] {
  if (!state) return [];
  const active = asNonEmptyText(state.activeEditor);
  const start = state.selectionRange?.startLine ?? state.selectionRange?.start?.line;
  const visible = (state.currentlyVisibleFiles ?? [])
    .filter((file) => typeof file === 'string')
    .filter((file) => file !== active);
  return [...(active === undefined ? [] : [activeEditor(pathOrUriPath(active), start)]), ...visibleEditors(visible)];
}

/** Returns the attachment for the active editor. `line` is 0-based. */
function activeEditor(path: string, line: number | undefined): Attachment {
  if (line === undefined || !Number.isSafeInteger(line + 1) || line < 0)
    return { kind: 'file', title: `Active editor: ${baseName(path)}`, path };
  return { kind: 'selection', title: `${baseName(path)}:${line + 1}`, path, line: line + 1 };
}

function visibleEditors(files: readonly string[]): readonly Attachment[] {
  if (files.length === 0) return [];
  return [{ kind: 'editors', title: `Visible: ${files.map((file) => baseName(pathOrUriPath(file))).join(', ')}` }];
}

function senderOf({ meta, source }: Message): readonly Attachment[] {
  const notes = [
    ...(source?.type === undefined
      ? []
      : [source.type === 'course-correction' ? 'Course correction from Amp' : `Source: ${source.type}`]),
    ...(isSet(meta?.fromAutomation) ? ['Sent by an automation'] : []),
    ...(isSet(meta?.fromAggman) || isSet(meta?.fromPuck) ? ['Sent by another Amp agent'] : []),
    ...(meta?.fromExecutorThreadID === undefined ? [] : [`Sent by thread ${meta.fromExecutorThreadID}`]),
  ];
  return notes.map((title) => ({ kind: 'context', title }));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function unknownFile(file: unknown, label: string): Attachment {
  const name = isRecord(file) ? asList([file['name'], file['path']]).find((word) => typeof word === 'string') : file;
  return {
    kind: 'context',
    title: typeof name === 'string' ? `${label}: ${name}` : `${label} (unknown name)`,
  };
}
