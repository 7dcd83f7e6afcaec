import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { raceSignal } from '../../base/common/async';
import type { SelectedTests, TestPort } from '../common/testPort';
import { ToolError } from '../common/toolError';

/** VS Code's own tools. Other extensions can access tests only through them. */
const runTool = 'runTests';
const failuresTool = 'testFailure';
/** Undocumented commands of VS Code. Without them, tests are not listed. */
const providersCommand = 'vscode.testing.getControllersWithTests';
const testsCommand = 'vscode.testing.getTestsInFile';

const Names = z.array(z.string());

export class WindowTests implements TestPort {
  get isAvailable(): boolean {
    return vscode.lm.tools.some(({ name }) => name === runTool);
  }

  async providers(): Promise<readonly string[]> {
    return await query(providersCommand, Names);
  }

  async testsIn(file: string): Promise<readonly (readonly string[])[]> {
    const paths = await query(testsCommand, z.array(Names), vscode.Uri.file(file));
    // The first name in the path is the provider.
    return paths.map(([, ...names]) => names);
  }

  async run({ files, names }: SelectedTests, signal: AbortSignal): Promise<string> {
    const inFirstFolder = files.map(relativeToFirstFolder);
    const selected = {
      ...(files.length > 0 ? { files: inFirstFolder } : {}),
      ...(names.length > 0 ? { testNames: names } : {}),
    };
    return await invokeTool(runTool, selected, signal);
  }

  async lastFailures(signal: AbortSignal): Promise<string> {
    return await invokeTool(failuresTool, {}, signal);
  }
}

/** VS Code interprets an absolute path on the machine of the window, which is wrong in remote windows. */
function relativeToFirstFolder(file: string): string {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  return first ? path.relative(first.uri.fsPath, file).replaceAll(path.sep, '/') : file;
}

async function query<T>(command: string, schema: z.ZodType<T[]>, ...args: unknown[]): Promise<T[]> {
  try {
    return schema.parse(await vscode.commands.executeCommand(command, ...args));
  } catch {
    throw new ToolError('This version of VS Code does not list tests. Run them by file or name.');
  }
}

/** @throws ToolError if VS Code does not run the tool */
async function invokeTool(name: string, input: object, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const options = { input, toolInvocationToken: undefined };
    // VS Code does not close its question when the call is cancelled.
    const asked = Promise.resolve(vscode.lm.invokeTool(name, options, source.token));
    const { content } = await raceSignal(asked, signal, () => new Error('The call was cancelled.'));
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof vscode.CancellationError || (error instanceof Error && error.name === 'Canceled'))
      throw new ToolError('VS Code asked the user, who did not allow it.');
    throw new ToolError(`VS Code reported an error: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}
