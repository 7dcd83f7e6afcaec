import assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../../src/base/common/async';
import { StatusBoard, type RunningFeature } from '../../../src/base/common/feature';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { Commands } from '../../../src/platform/vscode/commands';
import { Settings } from '../../../src/platform/vscode/settings';
import type { BackendSession } from '../../../src/session/common/sessionBackend';
import type { ToolCaller } from '../../../src/session/common/toolCaller';
import { mcpServerSetting } from '../../../src/tools/common/clients/mcpServerSetting';
import { ToolsFeature } from '../../../src/tools/vscode/toolsFeature';
import { backendOf, Follower } from '../../fake/backendHarness';
import { standingOf } from '../../fake/fakePermissions';
import { FakeToolCaller } from '../../fake/fakeToolCaller';
import { basics } from '../../fake/acp/scriptedAgent';
import { eventually } from '../../support/eventually';
import { AdapterUnderTest } from './editorAdapter';
import { inWorkspace } from './workspace';

const Answer = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() }),
});

/** Gives the language servers of a busy machine more time than the 12 s of `answerTimeoutMs`. */
const patient: Clock = {
  ...systemClock,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs === 12_000 ? 120_000 : delayMs, callback),
};

interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The tools of this window, called by an agent in a session of ACP: over HTTP, as agents call them. Stop it. */
export class ToolsUnderTest {
  readonly editor = new AdapterUnderTest();
  /** What the session has written, by its id and the path in the workspace. */
  readonly written: string[] = [];
  /** The value of `backline.permissions`. */
  permissions: unknown = undefined;
  private readonly settings = new Settings(nullLogger);
  private readonly feature: ToolsFeature;
  private running: RunningFeature | undefined;
  private address: Address | undefined;
  private live: { session: BackendSession; follower: Follower; stop: () => void } | undefined;

  private constructor(createCaller: (clientName: string | undefined) => ToolCaller) {
    this.editor.changeExclude('.env*', '**/hidden/**');
    this.settings.start();
    this.feature = new ToolsFeature({
      log: nullLogger,
      status: new StatusBoard(() => undefined),
      commands: new Commands(nullLogger),
      settings: this.settings,
      clock: patient,
      editor: this.editor.adapter,
      providers: [],
      version: '1.2.3',
      createCaller,
      chatCaller: new FakeToolCaller(),
      sharedFolder: inWorkspace('not-there'),
      bridgeFile: '',
    });
  }

  static async start(
    createCaller: (clientName: string | undefined) => ToolCaller = () => assert.fail('no client outside VS Code'),
  ): Promise<ToolsUnderTest> {
    const subject = new ToolsUnderTest(createCaller);
    subject.running = await subject.feature.start();
    const { backend } = backendOf((app) => basics(app), {
      editor: subject.editor.adapter,
      standing: standingOf([], () => subject.permissions),
      mcpServers: async ({ toolCaller }) => {
        subject.address = await subject.feature.createMcpAddress(toolCaller);
        return [];
      },
      writeObserver: {
        beforeWrite: () => Promise.resolve(),
        afterWrite: ({ sessionId }, file) =>
          Promise.resolve(void subject.written.push(`${sessionId} ${path.relative(inWorkspace(), file)}`)),
        afterFailedWrite: () => Promise.resolve(),
        beginCommand: () => () => undefined,
      },
    });
    const session = await backend.createSession({ cwd: inWorkspace() });
    subject.live = { session, follower: new Follower(session), stop: () => backend.dispose() };
    return subject;
  }

  /** The servers of this window for another session, as agents get them over HTTP. */
  async serversFor(caller: ToolCaller | undefined): Promise<Readonly<Record<string, unknown>>> {
    const address = await this.feature.createMcpAddress(caller);
    assert.ok(address);
    const bridge = { runtime: '', file: '' };
    return { [address.name]: mcpServerSetting(address, { http: true }, bridge) };
  }

  get session(): BackendSession {
    assert.ok(this.live);
    return this.live.session;
  }

  get follower(): Follower {
    assert.ok(this.live);
    return this.live.follower;
  }

  async ask(name: string, input: object = {}, signal?: AbortSignal): Promise<{ text: string; isError: boolean }> {
    assert.ok(this.address);
    const { headers, url } = this.address;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const response = await fetch(url, { method: 'POST', headers, body, ...(signal ? { signal } : {}) });
    const { result } = Answer.parse(await response.json());
    return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError ?? false };
  }

  async call(name: string, input: object = {}): Promise<string> {
    const { text, isError } = await this.ask(name, input);
    assert.ok(!isError, text);
    return text;
  }

  async refusal(name: string, input: object = {}): Promise<string> {
    const { text, isError } = await this.ask(name, input);
    assert.ok(isError, text);
    return text;
  }

  /** Answers the `nth` approval. */
  async answer(option: string, nth = 1): Promise<string> {
    const { approval_id: id, prompt } = await this.follower.next('approval:required', nth);
    await this.session.answerApproval(id, option);
    return prompt;
  }

  /** Language servers take their time to start. */
  async tells(name: string, input: object, expected: RegExp): Promise<string> {
    return await eventually(`${name} says ${String(expected)}`, async () => {
      const text = await this.call(name, input);
      assert.match(text, expected);
      return text;
    });
  }

  async stop(): Promise<void> {
    this.live?.stop();
    await this.running?.stop?.();
    this.running?.dispose();
    this.settings.dispose();
    this.editor.dispose();
  }
}

export async function textOf(file: string): Promise<string> {
  return (await vscode.workspace.openTextDocument(file)).getText();
}
