import type { ChangedFile, ToolChange } from '../../../session/common/toolCaller';
import type { TextFile } from '../../../editor/common/editorPort';
import type { ActingCall } from '../defineTool';
import { ToolError } from '../toolError';
import type { ToolPorts } from '../toolPorts';

/** A file as a tool will change it. */
export interface PlannedFile {
  /** Absolute and resolved. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: TextFile | undefined;
  readonly after: string;
}

/** Asks the caller for all files together. Returns them with what is protected. @throws ToolError if they may not be changed */
export async function requirePermit(
  purpose: ToolChange['purpose'],
  planned: readonly PlannedFile[],
  { editor }: Pick<ToolPorts, 'editor'>,
  { caller, signal }: ActingCall,
): Promise<readonly ChangedFile[]> {
  const files: ChangedFile[] = [];
  for (const { after, before, path } of planned) {
    const protection = await editor.protectionOf(path, { before: before?.text, after });
    files.push({ path, before: before?.text ?? null, after, protection: protection?.reason });
    signal.throwIfAborted();
  }
  const permit = await caller.mayChangeFiles({ purpose, files }, signal);
  signal.throwIfAborted();
  if (!permit.isGranted) throw new ToolError(`Nothing was changed. ${permit.reason}`);
  return files;
}

/** Asks the caller, then writes one file if it is still as planned, and records it as the caller's. @throws ToolError, EditorError */
export async function changeFile(
  planned: PlannedFile,
  ports: Pick<ToolPorts, 'editor'>,
  call: ActingCall,
): Promise<TextFile> {
  const { after, before, path } = planned;
  const [checked] = await requirePermit(`edit ${path}`, [planned], ports, call);
  const { editor } = ports;
  return await call.caller.recordWrites([path], async () => {
    // A new file has no version that the write could check.
    if (!before && (await isPresent(path, ports))) throw new ToolError(`${path} was created meanwhile. Read it first.`);
    return await editor.writeText(path, after, {
      signal: call.signal,
      ...(before ? { expectedVersion: before.version } : {}),
      ...(checked?.protection === undefined ? {} : { protectedFiles: 'allow' }),
    });
  });
}

async function isPresent(path: string, { editor }: Pick<ToolPorts, 'editor'>): Promise<boolean> {
  return await editor.stat(path).then(
    () => true,
    () => false,
  );
}
