import type { ToolFileChange, ToolChange } from '../../../session/common/toolCaller';
import { isEditorError, type TextEdit, type TextFile } from '../../../editor/common/editorPort';
import { applyTextEdits } from '../../../editor/common/text/textEdits';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import type { ActingCall } from '../defineTool';
import type { ProposedEdits } from '../languageEditPort';
import { displayPath } from '../text/displayPath';
import { ToolError } from '../toolError';
import { maxCodeBytes, type ToolPorts } from '../toolPorts';

const maxFiles = 1_000;
const unreachableMessage =
  'Nothing was changed, because this would also change files that tools may not change. Ask the user to do it in VS Code.';

/** A planned change of a file by a tool. */
interface PlannedFile {
  /** Absolute and resolved. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: TextFile | undefined;
  readonly after: string;
}

/**
 * Asks the caller about all files together. Returns which are protected.
 * @throws ToolError if they may not be changed; EditorError if one cannot be changed, without asking
 */
async function requirePermit(
  about: Omit<ToolChange, 'files'>,
  planned: readonly PlannedFile[],
  { editor }: Pick<ToolPorts, 'editor'>,
  { caller, signal }: ActingCall,
): Promise<readonly ToolFileChange[]> {
  const files: ToolFileChange[] = [];
  for (const { after, before, path } of planned) {
    await editor.requireWritable(path, after);
    const protection = await editor.protectionOf(path, { before: before?.text, after });
    const realPath = await editor.realPathOf(path);
    files.push({ path: realPath, before: before?.text ?? null, after, protection: protection?.reason });
    signal.throwIfAborted();
  }
  const permit = await caller.mayChangeFiles({ ...about, files }, signal);
  signal.throwIfAborted();
  if (!permit.isGranted) throw new ToolError(`Nothing was changed. ${permit.reason}`);
  return files;
}

/** Asks the caller, then writes one file if it has not changed, and records the caller's change. @throws ToolError, EditorError */
export async function askAndChangeFile(
  planned: PlannedFile,
  ports: Pick<ToolPorts, 'editor'>,
  call: ActingCall,
): Promise<TextFile> {
  const { after, before, path } = planned;
  const [checked] = await requirePermit({ purpose: `edit ${path}` }, [planned], ports, call);
  const { editor } = ports;
  return await call.caller.recordWrites([path], async () => {
    // A new file has no version to check.
    if (!before && (await isPresent(path, ports)))
      throw new ToolError(`${path} was created in the meantime. Read it first.`);
    return await editor.writeText(path, after, {
      signal: call.signal,
      ...(before ? { expectedVersion: before.version } : { mayReplace: () => false }),
      ...(checked?.protection === undefined ? {} : { protectedFiles: 'allow' }),
    });
  });
}

interface EditedFile {
  readonly file: TextFile;
  readonly editCount: number;
}

/** The texts for which VS Code made the edits. If a file now has a different text, no file is edited. */
interface ExpectedTexts {
  /** Texts from before VS Code was asked, by resolved path. */
  readonly textByPath: ReadonlyMap<string, string>;
  /** Checks each replaced text in a file that is not in `textByPath`. If missing, edits of such a file are refused. */
  readonly mayReplace?: (replaced: string) => boolean;
}

/**
 * Reads the files of proposed edits.
 * @throws ToolError if one is outside the workspace or excluded, without naming it
 */
export async function readTextsOf(
  proposed: readonly ProposedEdits[],
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const textByPath = new Map<string, string>();
  for (const { path } of changedFiles(proposed)) {
    signal.throwIfAborted();
    const resolved = await resolveOrRefuse(path, editor);
    textByPath.set(
      resolved,
      (await editor.readText(resolved, { fromBuffer: 'asIs', maxBytes: maxCodeBytes, signal })).text,
    );
  }
  return textByPath;
}

/**
 * Asks the caller for all files, then edits them as one undo step, or none of them. Returns the changed files in their given order.
 * @throws ToolError, EditorError
 */
export async function askAndApplyEdits(
  about: Omit<ToolChange, 'files'>,
  proposed: readonly ProposedEdits[],
  ports: Pick<ToolPorts, 'editor'>,
  call: ActingCall,
  expected: ExpectedTexts,
): Promise<readonly EditedFile[]> {
  const { editor } = ports;
  const planned = await planEdits(proposed, ports, call.signal, expected);
  if (planned.length === 0) return [];
  await requireCurrentBuffers(planned, ports, call.signal);
  const checked = await requirePermit(about, planned, ports, call);
  const isProtected = checked.some(({ protection }) => protection !== undefined);
  const changes = planned.map(({ before, edits, path }) => ({ path, edits, expectedVersion: before.version }));
  const written = await call.caller.recordWrites(
    planned.map(({ path }) => path),
    () => editor.editFiles(changes, { signal: call.signal, ...(isProtected ? { protectedFiles: 'allow' } : {}) }),
  );
  return written.map((file, index) => ({ file, editCount: planned[index]?.edits.length ?? 0 }));
}

/** Otherwise, the user would be asked about a change that cannot be made. @throws ToolError */
async function requireCurrentBuffers(
  planned: readonly PlannedEdits[],
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { before, path } of planned) {
    const current = await editor.readText(path, { maxBytes: maxCodeBytes, signal });
    if (current.text === before.text) continue;
    throw new ToolError(
      `Nothing was changed: VS Code has not read ${displayPath(path, editor)} again since it changed on disk. Try again. If that does not help, the user can open it and run “File: Revert File”.`,
    );
  }
}

interface PlannedEdits extends PlannedFile {
  readonly before: TextFile;
  readonly edits: readonly TextEdit[];
}

/**
 * @throws ToolError if a file is outside the workspace or excluded (without naming it), or if its text is not as
 * expected
 */
async function planEdits(
  proposed: readonly ProposedEdits[],
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
  { mayReplace, textByPath }: ExpectedTexts,
): Promise<readonly PlannedEdits[]> {
  const planned: PlannedEdits[] = [];
  for (const { edits, path } of changedFiles(proposed)) {
    signal.throwIfAborted();
    const resolved = await resolveOrRefuse(path, editor);
    const before = await editor.readText(resolved, { fromBuffer: 'asIs', maxBytes: maxCodeBytes, signal });
    const clamped = clampEdits(edits, before.text);
    const expected = textByPath.get(resolved);
    const isAsProposed =
      expected === undefined
        ? mayReplace !== undefined && replacedTexts(edits, clamped, before.text).every(mayReplace)
        : expected === before.text;
    if (!isAsProposed)
      throw new ToolError('Nothing was changed, because files have changed in the meantime. Try again.');
    const after = applyTextEdits(before.text, clamped);
    if (after !== before.text) planned.push({ path: resolved, before, after, edits: clamped });
  }
  return planned;
}

/** @throws ToolError if there are too many files */
function changedFiles(proposed: readonly ProposedEdits[]): readonly ProposedEdits[] {
  const changed = proposed.filter(({ edits }) => edits.length > 0);
  if (changed.length > maxFiles)
    throw new ToolError(`This changes ${changed.length} files, and at most ${maxFiles} can be changed at once.`);
  return changed;
}

/** The texts that the edits replace. Insertions replace nothing. */
function replacedTexts(edits: readonly TextEdit[], clamped: readonly TextEdit[], text: string): readonly string[] {
  const lines = new LineIndex(text);
  return edits.flatMap(({ range }, index) => {
    const { end, start } = clamped[index]?.range ?? range;
    const isInsertion = range.start.line === range.end.line && range.start.character === range.end.character;
    return isInsertion ? [] : [text.slice(lines.offsetAt(start), lines.offsetAt(end))];
  });
}

/** Language servers may return positions beyond a line or the file. VS Code uses the nearest valid position. */
function clampEdits(edits: readonly TextEdit[], text: string): readonly TextEdit[] {
  const lines = new LineIndex(text);
  return edits.map(({ newText, range: { end, start } }) => ({
    range: { start: lines.clamp(start), end: lines.clamp(end) },
    newText,
  }));
}

/** @throws ToolError without the name of the file */
async function resolveOrRefuse(
  path: string | undefined,
  editor: Pick<ToolPorts['editor'], 'resolve'>,
): Promise<string> {
  try {
    if (path !== undefined) return await editor.resolve(path);
  } catch (error) {
    if (!isEditorError(error)) throw error;
  }
  throw new ToolError(unreachableMessage);
}

async function isPresent(path: string, { editor }: Pick<ToolPorts, 'editor'>): Promise<boolean> {
  return await editor.stat(path).then(
    () => true,
    () => false,
  );
}
