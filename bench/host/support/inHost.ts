import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { format } from 'node:util';
import * as vscode from 'vscode';
import * as z from 'zod';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { StatusBoard } from '../../../src/base/common/feature';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { Commands } from '../../../src/platform/vscode/commands';
import { Settings } from '../../../src/platform/vscode/settings';
import type { McpAddress } from '../../../src/tools/node/mcpServer';
import { ToolsFeature } from '../../../src/tools/vscode/toolsFeature';
import { FakeToolCaller } from '../../../test/fake/fakeToolCaller';
import { AdapterUnderTest } from '../../../test/host/support/editorAdapter';
import { Results } from '../../../test/host/support/results';

/** Runs a bench inside VS Code. Its lines go to the process that started VS Code. Never rejects. */
export async function runBench(main: (print: (line: string) => void) => Promise<void>): Promise<void> {
  const results = new Results(process.env);
  const ui = vscode.env.uiKind === vscode.UIKind.Web ? 'browser' : 'desktop';
  results.write({ type: 'start', pid: process.pid, vscode: vscode.version, node: process.version, ui });
  try {
    await main((text) => results.write({ type: 'text', text }));
    results.write({ type: 'end' });
  } catch (error) {
    results.write({ type: 'broken', error: format(error) });
  }
}

const Answer = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() }),
});

/** The tools of this window, called over HTTP as agents call them. */
export interface BenchTools {
  /** @throws Error with the text of a failed call */
  readonly call: (name: string, input: object) => Promise<string>;
  /** Calls from a process outside VS Code. Returns the milliseconds that it waited. @throws Error with the text of a failed call */
  readonly timeCall: (name: string, input: object) => Promise<number>;
  /** Posts to any server from the same process. Returns the milliseconds that it waited. */
  readonly timePost: (url: string, message: object) => Promise<number>;
  /** Later calls belong to another session, with limits of its own. */
  readonly startSession: () => Promise<void>;
}

/** Starts the tools, and stops them when `use` has ended. */
export async function withTools(use: (tools: BenchTools) => Promise<void>): Promise<void> {
  const editor = new AdapterUnderTest();
  const settings = new Settings(nullLogger);
  settings.start();
  const sharedFolder = await mkdtemp(path.join(tmpdir(), 'backline-bench-'));
  const feature = new ToolsFeature({
    log: nullLogger,
    status: new StatusBoard(() => undefined),
    commands: new Commands(nullLogger),
    settings,
    clock: systemClock,
    editor: editor.adapter,
    providers: [],
    version: '0.0.0',
    createCaller: () => {
      throw new Error('No client outside VS Code takes part.');
    },
    chatCaller: new FakeToolCaller(),
    sharedFolder,
    bridgeFile: '',
  });
  const running = await feature.start();
  let address: McpAddress | undefined;
  const startSession = async (): Promise<void> => {
    address = await feature.createMcpAddress(new FakeToolCaller());
  };
  await startSession();
  const caller = new OutsideCaller();
  const timeAndText = async (name: string, input: object): Promise<{ ms: number; text: string }> => {
    if (!address) throw new Error('The tools are off.');
    const { headers, url } = address;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const answer = await caller.post({ url, headers, body });
    const { result } = Answer.parse(JSON.parse(answer.text));
    const text = result.content.map((part) => part.text).join('\n');
    if (result.isError) throw new Error(text);
    return { ms: answer.ms, text };
  };
  const call = async (name: string, input: object): Promise<string> => (await timeAndText(name, input)).text;
  const timeCall = async (name: string, input: object): Promise<number> => (await timeAndText(name, input)).ms;
  const timePost = async (url: string, message: object): Promise<number> =>
    (await caller.post({ url, headers: {}, body: JSON.stringify(message) })).ms;
  try {
    await use({ call, timeCall, timePost, startSession });
  } finally {
    caller.dispose();
    await running.stop?.();
    running.dispose();
    settings.dispose();
    editor.dispose();
    await rm(sharedFolder, { recursive: true, force: true });
  }
}

const Posted = z.object({ ms: z.number(), text: z.string() });

/** A process that posts for us, one request at a time. VS Code changes `fetch` and `http` for extensions. Dispose it. */
class OutsideCaller {
  private readonly child = spawn(process.execPath, [inRoot('bench', 'host', 'support', 'mcpCaller.mjs')], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  private readonly answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();

  /** @throws Error if the process has ended */
  async post(request: object): Promise<z.infer<typeof Posted>> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    const next = await this.answers.next();
    if (next.done === true) throw new Error('The process that calls the tools has ended.');
    return Posted.parse(JSON.parse(next.value));
  }

  dispose(): void {
    this.child.kill();
  }
}

const pauseMs = 500;

/** Repeats `attempt` until it succeeds. @throws what it last threw, after `timeoutMs` */
export async function retryFor<T>(timeoutMs: number, attempt: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > endsAtMs) throw error;
      await new Promise((resolve) => void setTimeout(resolve, pauseMs));
    }
  }
}
