import type * as z from 'zod';
import {
  EditorError,
  type EditorPort,
  type TextEdit,
  type TextFile,
  type WriteOptions,
  isEditorError,
} from '../../editor/common/editorPort';
import { isProtectedChange } from '../../editor/common/guardedEditor';
import { applyTextEdits } from '../../editor/common/text/textEdits';
import { LineIndex, utf16OffsetAt } from '../../editor/common/text/textOffsets';
import { toCliDiagnostics, toDocumentDiagnostics } from './diagnostics';
import { checkRead, editOptions, type AmpPolicy } from './ampPolicy';
import type { AmpDialect } from './envelope';
import type { EditGrant, ProtectedEditDesk } from './protectedEditDesk';
import {
  AuthenticateParams,
  CliDiagnosticsParams,
  DocumentDiagnosticsParams,
  EditFileParams,
  OpenUriParams,
  PingParams,
  ReadFileParams,
} from './ampSchema';

/** Kept back for the answer. A formatter may outlast the peer, which would take an edit that was made for one that failed. */
const answerMs = 500;

interface AmpCall {
  readonly dialect: AmpDialect;
  /** Not checked yet. */
  readonly params: unknown;
  /** Fires when the request has ended: answered, at its deadline, or with its client. */
  readonly signal: AbortSignal;
  /** In the clock's milliseconds. */
  readonly deadline: number;
  /** Awaited once, before an answer is made that may be large: those of all clients are made one at a time. */
  readonly takeTurn: () => Promise<void>;
}

/** Files up to this size, in bytes, are read without waiting for a turn. */
const maxSmallFileBytes = 256 * 1024;

/** @throws ZodError for params of the wrong shape, EditorError for what the editor did not do */
export type AmpMethod = (call: AmpCall) => object | Promise<object>;

export interface AmpMethodPorts {
  readonly editor: EditorPort;
  /** Whether a token is this server's, compared in constant time. */
  readonly isToken: (token: string) => boolean;
  /** Asks the user about edits of protected files, and of others where the policy says `ask`. */
  readonly protectedEdits: Pick<ProtectedEditDesk, 'grantOf' | 'made'>;
  /** What holds now. */
  readonly policy: () => AmpPolicy;
}

/** What each dialect answers is in docs/protocols/amp.md, field by field. */
export function createMethods({
  editor,
  isToken,
  policy,
  protectedEdits: desk,
}: AmpMethodPorts): ReadonlyMap<string, AmpMethod> {
  const edited = async (edit: FileEdit, signal: AbortSignal, deadline: number): Promise<TextFile> => {
    const options = { ...editOptions(edit.path, policy()), signal, awaitSaveUntil: deadline - answerMs };
    try {
      return await applyEdit(editor, edit, options);
    } catch (error) {
      if (!isProtectedChange(error)) throw error;
      const grant = desk.grantOf(error);
      const file = await applyEdit(editor, edit, { ...options, protectedFiles: 'allow' }, grant);
      desk.made(grant);
      return file;
    }
  };
  return new Map<string, AmpMethod>([
    ['ping', ({ params }) => PingParams.parse(params)],

    // Whoever asks is connected, so has shown the token already; the answer is true to what is asked nevertheless.
    ['authenticate', ({ params }) => ({ authenticated: isToken(AuthenticateParams.parse(params).authToken) })],

    [
      'readFile',
      async ({ dialect, params, signal, takeTurn }) => {
        const { path } = ReadFileParams.parse(params);
        const read = async (): Promise<TextFile> => {
          checkRead(path, policy());
          return await readInTurn(editor, path, signal, takeTurn);
        };
        if (dialect === 'document') {
          const file = await read();
          return { content: file.text, ...hintOf(file) };
        }
        return await orFailure(async () => {
          const file = await read();
          return { success: true, content: file.text, ...hintOf(file), encoding: 'utf-8', isDirty: file.isDirty };
        });
      },
    ],

    [
      'editFile',
      async ({ dialect, params, signal, deadline }) => {
        const edit = EditFileParams.parse(params);
        if (dialect === 'document') {
          await edited(edit, signal, deadline);
          return { success: true };
        }
        return await orFailure(async () => {
          const file = await edited(edit, signal, deadline);
          const unsaved = file.isDirty ? ', not on disk yet: still saving, or left for the user to save' : '';
          return { success: true, message: `Edited ${file.path}${unsaved}`, appliedChanges: true };
        });
      },
    ],

    [
      'getDiagnostics',
      async ({ dialect, params, signal, takeTurn }) => {
        const shape = dialect === 'cli' ? CliDiagnosticsParams : DocumentDiagnosticsParams;
        const { path } = shape.parse(params);
        await takeTurn();
        const files = await editor.diagnostics(path, { signal });
        return dialect === 'cli' ? toCliDiagnostics(files) : toDocumentDiagnostics(files);
      },
    ],

    [
      'openURI',
      async ({ params }) => {
        const { uri } = OpenUriParams.parse(params);
        // The user clicked in the agent's terminal and goes on typing there.
        return await orFailure(async () => {
          await editor.open(uri, { preserveFocus: true, preview: true });
          return { success: true, message: isWebLink(uri) ? `Asked the user to open ${uri}` : `Opened ${uri}` };
        });
      },
    ],
  ]);
}

function hintOf({ hasInvalidBytes }: TextFile): { readonly message?: string } {
  if (hasInvalidBytes !== true) return {};
  return {
    message:
      'Some bytes of this file are invalid in its encoding and are shown as U+FFFD. It cannot be edited until it is opened with its own encoding in VS Code.',
  };
}

/** Where a dialect's result can say that it failed, an error would be one too many: the CLI asks for files that do not exist. */
async function orFailure(work: () => Promise<object>): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (!isEditorError(error)) throw error;
    return { success: false, message: error.message };
  }
}

/** What is too large to be read at once by many is read by one at a time. */
async function readInTurn(
  editor: EditorPort,
  path: string,
  signal: AbortSignal,
  takeTurn: () => Promise<void>,
): Promise<TextFile> {
  try {
    return await editor.readText(path, { signal, maxBytes: maxSmallFileBytes });
  } catch (error) {
    if (!isEditorError(error) || error.code !== 'tooLarge') throw error;
  }
  await takeTurn();
  return await editor.readText(path, { signal });
}

/** The editor shows such a link to the user, who decides. */
function isWebLink(uri: string): boolean {
  return /^https?:/iu.test(uri);
}

type FileEdit = z.infer<typeof EditFileParams>;

/** @throws EditorError `staleVersion` when the edit makes another text by now than the one that was granted */
async function applyEdit(
  editor: EditorPort,
  edit: FileEdit,
  options: WriteOptions,
  grant?: EditGrant,
): Promise<TextFile> {
  // What it makes of any text is the same.
  if (edit.fullContent !== undefined) return await editor.writeText(edit.path, edit.fullContent, options);
  const { path, start, end, newText } = edit;
  const makeEdit = ({ text }: TextFile): TextEdit[] => {
    const edits = [byteRangeEdit(text, start, end, newText)];
    if (grant && applyTextEdits(text, edits) !== grant.after) {
      throw new EditorError('staleVersion', `${path} has changed since the user allowed this edit. Read it again.`);
    }
    return edits;
  };
  return await editor.editText(path, makeEdit, options);
}

/** @throws EditorError `invalidRange` when the text has no such bytes or an offset is inside a character */
function byteRangeEdit(text: string, start: number, end: number, newText: string): TextEdit {
  if (end < start) {
    throw new EditorError('invalidRange', `The edit ends (byte ${end}) before it starts (byte ${start}). Swap them.`);
  }
  return { range: new LineIndex(text).rangeAt(utf16OffsetAt(text, start), utf16OffsetAt(text, end)), newText };
}
