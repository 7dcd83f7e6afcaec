import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { withDeadline, type Clock } from '../../base/common/async';
import type { EditorPort } from '../../editor/common/editorPort';
import { stopPoint, type ProgramStop } from '../common/stopPoint';
import type { StartingPoint } from '../common/startingPoint';

/** Answers of the Debug Adapter Protocol, as far as they are needed. */
const optional = z.optional;
const ExceptionInfo = z.object({
  exceptionId: z.string(),
  description: optional(z.string()),
  details: optional(z.object({ message: optional(z.string()) })),
});
const Frame = z.object({
  id: z.number(),
  name: z.string(),
  line: z.number(),
  source: optional(z.object({ path: optional(z.string()) })),
});
type Frame = z.infer<typeof Frame>;
const StackTrace = z.object({ stackFrames: z.array(Frame) });
const Scopes = z.object({
  scopes: z.array(z.object({ name: z.string(), variablesReference: z.number(), expensive: optional(z.boolean()) })),
});
const Variables = z.object({ variables: z.array(z.object({ name: z.string(), value: z.string() })) });

const maxFrames = 40;
const maxScopes = 6;
const maxVariables = 60;
/** A debugger whose program is busy may never answer. */
const answerTimeoutMs = 5_000;

/** Collects what the debugger knows of the program that has stopped: the thread and the frame that have the focus. */
export class DebugCommands {
  constructor(
    private readonly editor: Pick<EditorPort, 'readText' | 'resolve'>,
    private readonly clock: Clock,
  ) {}

  /** @throws Error if no program has stopped, or the debugger does not answer in time */
  async ofStop(): Promise<StartingPoint> {
    const item = vscode.debug.activeStackItem;
    if (!item) throw new Error('No program has stopped in the debugger.');
    return await withDeadline(this.clock, 'asking the debugger', answerTimeoutMs, async () =>
      stopPoint(await this.stopOf(item)),
    );
  }

  private async stopOf(item: vscode.DebugThread | vscode.DebugStackFrame): Promise<ProgramStop> {
    const { session, threadId } = item;
    const ask = async <T>(request: string, args: object, schema: z.ZodMiniType<T>): Promise<T> =>
      z.parse(schema, await session.customRequest(request, args));
    const { stackFrames } = await ask('stackTrace', { threadId, levels: maxFrames }, StackTrace);
    // Not every debugger supports it, and it fails if the program has stopped for another reason.
    const info = await ask('exceptionInfo', { threadId }, ExceptionInfo).catch(() => undefined);
    const frames = await Promise.all(stackFrames.slice(0, maxFrames).map((frame) => this.readable(frame)));
    const focused = 'frameId' in item ? frames.findIndex(({ frame }) => frame.id === item.frameId) : 0;
    const shown = frames.slice(Math.max(0, focused)).find(({ file }) => file !== undefined);
    return {
      exception: info && {
        title: info.details?.message ?? info.description ?? info.exceptionId,
        description: withoutCalls(info.description ?? info.exceptionId),
      },
      frames: frames.map(({ frame: { name, line }, file }) => ({ name, place: file && `${file}:${line}` })),
      shown: shown?.file === undefined ? undefined : await this.shownFrame(shown.frame, shown.file, ask),
    };
  }

  /** `file`: its absolute path, if agents may read it. */
  private async readable(frame: Frame): Promise<{ readonly frame: Frame; readonly file: string | undefined }> {
    const source = pathOf(frame.source?.path ?? '');
    // Others, such as `<node_internals>/timers`, are no files.
    if (!path.isAbsolute(source)) return { frame, file: undefined };
    return { frame, file: await this.editor.resolve(source).catch(() => undefined) };
  }

  private async shownFrame(
    { id, name, line }: Frame,
    file: string,
    ask: <T>(request: string, args: object, schema: z.ZodMiniType<T>) => Promise<T>,
  ): Promise<ProgramStop['shown']> {
    const { text } = await this.editor.readText(file, { fromBuffer: 'asIs' });
    const { scopes } = await ask('scopes', { frameId: id }, Scopes);
    // Those that take long, such as all global variables, say nothing about the exception.
    const cheap = scopes.filter(({ expensive }) => expensive !== true).slice(0, maxScopes);
    const found = cheap.map(async (scope) => {
      const { variables } = await ask('variables', { variablesReference: scope.variablesReference }, Variables);
      return { name: scope.name, variables: variables.slice(0, maxVariables) };
    });
    return { name, path: file, place: `${file}:${line}`, line: line - 1, text, scopes: await Promise.all(found) };
  }
}

/** Without the stack, whose paths agents may not be allowed to see. It is given by the frames. */
function withoutCalls(description: string): string {
  return description
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n');
}

/** Returns the path in what VS Code has made of a debugger's path: a URI, in a remote window one of its own. */
function pathOf(source: string): string {
  if (!/^(?:file|vscode-remote):\/\//.test(source)) return source;
  return vscode.Uri.parse(source).with({ scheme: 'file', authority: '' }).fsPath;
}
