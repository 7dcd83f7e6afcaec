import type * as z from 'zod';
import { BoundedMap } from '../../base/common/boundedMap';
import {
  EditorError,
  type EditorPort,
  type TextEdit,
  type TextFile,
  type WriteOptions,
  isEditorError,
} from '../../editor/common/editorPort';
import type { KnownTexts } from '../../editor/common/knownTexts';
import { isProtectedChangeError } from '../../editor/common/protection/changeCheck';
import { applyTextEdits } from '../../editor/common/text/textEdits';
import { LineIndex, utf16OffsetAt } from '../../editor/common/text/textOffsets';
import { toCliDialectDiagnostics, toDocumentDialectDiagnostics } from './diagnostics';
import { assertReadAllowed, writeOptionsOfPolicy, type AmpPolicy } from './ampPolicy';
import type { AmpDialect } from './envelope';
import type { EditGrant, ProtectedEditApprovals } from './protectedEditApprovals';
import {
  AuthenticateParams,
  CliDialectDiagnosticsParams,
  DocumentDialectDiagnosticsParams,
  EditFileParams,
  OpenUriParams,
  PingParams,
  ReadFileParams,
} from './ampSchema';

/** Time reserved for sending the answer, so that an edit that is saved slowly is not reported as failed. */
const answerReserveMs = 500;

export interface AmpMethodCall {
  readonly dialect: AmpDialect;
  /** Parameters that were not validated yet. */
  readonly params: unknown;
  /** Fires when the request has ended, because it was answered, has timed out, or its client has disconnected. */
  readonly signal: AbortSignal;
  /** Deadline of the request, in milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
  /** Must be called when the effect of the request can no longer be prevented. It then gets the time that it needs. */
  startApplying(): void;
  /** The texts that this client has read. */
  readonly knownTexts: KnownTexts;
  /** Must be awaited once before a large answer is created. They are created one at a time, for all clients. */
  readonly awaitTurn: () => Promise<void>;
}

/** Maximum size of a file that is read at once, in bytes. Larger files are read one after another. */
const maxSmallFileBytes = 256 * 1024;
const maxKnownLargeFiles = 100;
/** Maximum length of the new text of an edit, in UTF-16 units. */
const maxEditLength = 4 * 1024 * 1024;

/** Handles a method. @throws ZodError for invalid parameters, EditorError if the editor refuses or fails */
export type AmpMethodHandler = (call: AmpMethodCall) => object | Promise<object>;

export interface AmpMethodPorts {
  readonly editor: EditorPort;
  readonly isToken: (token: string) => boolean;
  /** Asks the user about edits of protected files. If the policy says `ask`, also asks about other edits. */
  readonly protectedEdits: Pick<ProtectedEditApprovals, 'requireGrant' | 'consumeGrant'>;
  readonly policy: () => AmpPolicy;
}

/** Creates the handlers of all methods. docs/protocols/amp.md describes the answers of each dialect, field by field. */
export function createMethodHandlers({
  editor,
  isToken,
  policy,
  protectedEdits: desk,
}: AmpMethodPorts): ReadonlyMap<string, AmpMethodHandler> {
  const edited = async (edit: FileEdit, call: AmpMethodCall): Promise<TextFile> => {
    const { deadlineMs, knownTexts, signal } = call;
    requireSmallEdit(edit);
    const path = await editor.resolve(edit.path);
    let knowledge: ReturnType<KnownTexts['stateOf']> = 'known';
    const options = {
      ...writeOptionsOfPolicy(edit.path, policy()),
      signal,
      awaitSaveUntil: deadlineMs - answerReserveMs,
      mayReplace: (text: string): boolean => (knowledge = knownTexts.stateOf(path, text)) === 'known',
      onWillApply: () => call.startApplying(),
    };
    const apply = async (more: WriteOptions = {}): Promise<TextFile> => {
      try {
        return await applyEdit(editor, edit, { ...options, ...more });
      } catch (error) {
        if (!isProtectedChangeError(error)) throw error;
        // Otherwise, the user would be asked about an edit that cannot be made.
        await editor.requireWritable(edit.path, error.change.after);
        const grant = desk.requireGrant(error);
        const file = await applyEdit(editor, edit, { ...options, ...more, protectedFiles: 'allow' }, grant);
        desk.consumeGrant(grant);
        return file;
      }
    };
    const file = await apply().catch((error: unknown) => {
      if (knowledge === 'unknown') throw knownTexts.tellToRead(path, edit.path);
      if (knowledge === 'known') throw error;
      return apply({ askBecause: 'it has changed since Amp read it', mayReplace: () => true });
    });
    knownTexts.remember(path, file.text);
    return file;
  };
  const reader = new SizeAwareFileReader(editor);
  return new Map<string, AmpMethodHandler>([
    ['ping', ({ params }) => PingParams.parse(params)],

    // A connected client has already sent the right token, but the answer should be correct for any token.
    ['authenticate', ({ params }) => ({ authenticated: isToken(AuthenticateParams.parse(params).authToken) })],

    [
      'readFile',
      async (call) => {
        const { dialect, params } = call;
        const { path } = ReadFileParams.parse(params);
        const read = async (): Promise<TextFile> => {
          assertReadAllowed(path, policy());
          const file = await reader.readAtOnceIfSmall(path, call);
          call.knownTexts.remember(file.path, file.text);
          return file;
        };
        if (dialect === 'document') {
          const file = await read();
          return { content: file.text, ...encodingHint(file) };
        }
        return await failureAsResult(async () => {
          const file = await read();
          return { success: true, content: file.text, ...encodingHint(file), encoding: 'utf-8', isDirty: file.isDirty };
        });
      },
    ],

    [
      'editFile',
      async (call) => {
        const edit = EditFileParams.parse(call.params);
        if (call.dialect === 'document') {
          await edited(edit, call);
          return { success: true };
        }
        return await failureAsResult(async () => {
          const file = await edited(edit, call);
          const unsaved = file.isDirty ? ', not on disk yet: still saving, or left for the user to save' : '';
          return { success: true, message: `Edited ${file.path}${unsaved}`, appliedChanges: true };
        });
      },
    ],

    [
      'getDiagnostics',
      async ({ dialect, params, signal, awaitTurn }) => {
        const shape = dialect === 'cli' ? CliDialectDiagnosticsParams : DocumentDialectDiagnosticsParams;
        const { path } = shape.parse(params);
        await awaitTurn();
        const files = await editor.diagnostics(path, { signal });
        return dialect === 'cli' ? toCliDialectDiagnostics(files) : toDocumentDialectDiagnostics(files);
      },
    ],

    [
      'openURI',
      async ({ params }) => {
        const { uri } = OpenUriParams.parse(params);
        // The editor does not take the focus, because the user is working in the agent's terminal.
        return await failureAsResult(async () => {
          await editor.open(uri, { preserveFocus: true, preview: true });
          return { success: true, message: isWebLink(uri) ? `Asked the user to open ${uri}` : `Opened ${uri}` };
        });
      },
    ],
  ]);
}

function encodingHint({ hasInvalidBytes }: TextFile): { readonly message?: string } {
  if (hasInvalidBytes !== true) return {};
  return {
    message:
      'Some bytes of this file are invalid in its encoding and are shown as U+FFFD. It cannot be edited until it is opened with its own encoding in VS Code.',
  };
}

/** Converts editor errors to `success: false`, as the CLI expects: it also requests files that do not exist. */
async function failureAsResult(work: () => Promise<object>): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (!isEditorError(error)) throw error;
    return { success: false, message: error.message };
  }
}

/** Reads files: small ones immediately, larger ones when it is the turn of their request. */
class SizeAwareFileReader {
  /** Paths of files that were refused as too large. Their reads wait for their turn at once, because a refusal takes time. */
  private readonly largePaths = new BoundedMap<string, true>({ maxEntries: maxKnownLargeFiles });

  constructor(private readonly editor: EditorPort) {}

  async readAtOnceIfSmall(path: string, call: AmpMethodCall): Promise<TextFile> {
    const { editor, largePaths } = this;
    if (!largePaths.has(path)) {
      try {
        return await editor.readText(path, { maxBytes: maxSmallFileBytes, signal: call.signal });
      } catch (error) {
        if (!isEditorError(error) || error.code !== 'tooLarge') throw error;
        largePaths.set(path, true);
      }
    }
    await call.awaitTurn();
    const file = await editor.readText(path, { signal: call.signal });
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (file.text.length * 3 <= maxSmallFileBytes) largePaths.delete(path);
    return file;
  }
}

/** Whether the URI is a web link. The editor opens such a link only after the user has confirmed it. */
function isWebLink(uri: string): boolean {
  return /^https?:/iu.test(uri);
}

type FileEdit = z.infer<typeof EditFileParams>;

/** VS Code needs more time for a larger edit than a client waits. Other edits would have to wait, too. */
function requireSmallEdit(edit: FileEdit): void {
  const { length } = edit.fullContent ?? edit.newText;
  if (length <= maxEditLength) return;
  throw new EditorError(
    'tooLarge',
    `${edit.path} was not changed. The new text has ${length} characters; at most ${maxEditLength} are accepted, because a larger edit takes too long. Send several edits, or write the file on disk.`,
  );
}

/** Applies an edit. @throws EditorError `staleVersion` if the result would differ from what the user has allowed */
async function applyEdit(
  editor: EditorPort,
  edit: FileEdit,
  options: WriteOptions,
  grant?: EditGrant,
): Promise<TextFile> {
  // The result of a full edit does not depend on the current text.
  if (edit.fullContent !== undefined) return await editor.writeText(edit.path, edit.fullContent, options);
  const { path, start, end, newText } = edit;
  const makeEdit = ({ text }: TextFile): TextEdit[] => {
    const edits = [toTextEdit(text, start, end, newText)];
    if (grant && applyTextEdits(text, edits) !== grant.after) {
      throw new EditorError('staleVersion', `${path} has changed since the user allowed this edit. Read it again.`);
    }
    return edits;
  };
  return await editor.editText(path, makeEdit, options);
}

/** Converts byte offsets to an edit. @throws EditorError `invalidRange` beyond the text or inside a character */
function toTextEdit(text: string, start: number, end: number, newText: string): TextEdit {
  if (end < start) {
    throw new EditorError('invalidRange', `The edit ends (byte ${end}) before it starts (byte ${start}). Swap them.`);
  }
  return { range: new LineIndex(text).rangeAt(utf16OffsetAt(text, start), utf16OffsetAt(text, end)), newText };
}
