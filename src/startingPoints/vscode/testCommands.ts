import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import type { StartingPoint } from '../common/startingPoint';
import { failuresOf, testPoint, type FailureMessage, type TestPlace } from '../common/testPoint';

/** VS Code's own tool, the only way to the failures of a test of another extension. */
const failuresTool = 'testFailure';
const maxStackFrames = 50;

/** What VS Code passes to the commands of the menus of a test, as far as it is needed: the API has no type guard for it. */
const isItem = (value: unknown): value is vscode.TestItem =>
  z.safeParse(z.looseObject({ id: z.string(), label: z.string(), children: z.unknown() }), value).success;
const isMessage = (value: unknown): value is vscode.TestMessage =>
  z.safeParse(z.looseObject({ message: z.unknown() }), value).success;
const MessageArguments = z.object({ test: z.unknown(), message: z.unknown() });

/** Collects what VS Code knows of a failed test. */
export class TestCommands {
  constructor(
    private readonly editor: Pick<EditorPort, 'readText' | 'resolve'>,
    private readonly log: Logger,
  ) {}

  /** `given`: what VS Code passes for a test, or for a message of one. @throws Error, EditorError */
  async ofTest(given: unknown): Promise<StartingPoint> {
    const ofMessage = z.safeParse(MessageArguments, given).data;
    const test = ofMessage?.test ?? given;
    if (!isItem(test)) throw new Error('Choose a failed test in the Testing view.');
    // A test in a file that agents may not read is refused.
    const place = test.uri && (await this.placeOf(test.uri, test.range));
    const names = namesOf(test);
    const { message } = ofMessage ?? {};
    const messages = isMessage(message) ? [await this.messageOf(message)] : [];
    const report = messages.length > 0 ? '' : await this.reportOf(names);
    const { error } = test;
    const own = error === undefined ? [] : [{ message: plainText(error), places: [] }];
    return testPoint({ names, place, messages: [...messages, ...own], report });
  }

  /** Undefined for a folder and the like. @throws EditorError if agents may not read the file */
  private async placeOf(uri: vscode.Uri, range: vscode.Range | undefined): Promise<TestPlace | undefined> {
    await this.editor.resolve(uri.fsPath);
    try {
      const { path, text } = await this.editor.readText(uri.fsPath, { fromBuffer: 'asIs' });
      return { path, text, line: range?.start.line ?? 0 };
    } catch (error) {
      this.log.info(`The file of a test cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async messageOf(message: vscode.TestMessage): Promise<FailureMessage> {
    const { location, stackTrace = [] } = message;
    const frames = [
      ...(location ? [{ label: '', uri: location.uri, position: location.range.start }] : []),
      ...stackTrace.slice(0, maxStackFrames),
    ];
    const places = await Promise.all(frames.map(async (frame) => await this.frameText(frame)));
    return {
      message: plainText(message.message),
      expected: message.expectedOutput,
      actual: message.actualOutput,
      places: places.filter((place) => place !== ''),
    };
  }

  /** Without the path if agents may not read the file, such as that of a library outside the workspace. */
  private async frameText({
    label,
    uri,
    position,
  }: Omit<vscode.TestMessageStackFrame, 'uri'> & { uri?: vscode.Uri | undefined }): Promise<string> {
    const path = uri && (await this.editor.resolve(uri.fsPath).catch(() => undefined));
    if (path === undefined) return label;
    const at = position ? `${path}:${position.line + 1}:${position.character + 1}` : path;
    return label === '' ? at : `${label} (${at})`;
  }

  /** Returns what VS Code reports of the last run, without lines that name files which agents may not read. Never rejects. */
  private async reportOf(names: readonly string[]): Promise<string> {
    try {
      if (!vscode.lm.tools.some(({ name }) => name === failuresTool)) return '';
      const { content } = await vscode.lm.invokeTool(failuresTool, { input: {}, toolInvocationToken: undefined });
      const text = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
      const lines = failuresOf(names, text).split('\n');
      const shown = await Promise.all(lines.map(async (line) => ((await this.namesHiddenFile(line)) ? [] : [line])));
      return shown.flat().join('\n');
    } catch (error) {
      this.log.info(`VS Code does not tell why the test failed: ${messageOf(error)}`);
      return '';
    }
  }

  private async namesHiddenFile(line: string): Promise<boolean> {
    const [, path] = /^\s*<(?:stackFrame|location) path="([^"\n]*)"/.exec(line) ?? [];
    if (path === undefined) return false;
    return await this.editor.resolve(path).then(
      () => false,
      () => true,
    );
  }
}

function namesOf(test: vscode.TestItem): string[] {
  const names: string[] = [];
  for (let item: vscode.TestItem | undefined = test; item; item = item.parent) names.unshift(item.label);
  return names;
}

function plainText(text: string | vscode.MarkdownString): string {
  return typeof text === 'string' ? text : text.value;
}
