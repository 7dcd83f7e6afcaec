import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import * as vscode from 'vscode';
import * as z from 'zod';
import { benchLineOf, median } from '../lib/benchLine';
import { retryFor, runBench, withTools, type BenchTools } from './support/inHost';

const readyTimeoutMs = 120_000;
const warmUps = 20;
const rounds = 200;
/** How many times as long as the bare command a call over MCP may take, at the median. */
const bars = { outline: 1.8, hover: 1.4 };

const functionCount = 60;
const name = 'measured.ts';
const text = Array.from(
  { length: functionCount },
  (_, at) => `/** Adds ${at}. */\nexport function add${at}(value: number): number {\n  return value + ${at};\n}\n`,
).join('\n');
const asked = { symbol: 'add30', line: 152, character: 16 };

export async function run(): Promise<void> {
  await runBench(async (print) => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (!folder) throw new Error('There is no folder.');
    const uri = vscode.Uri.joinPath(folder, name);
    await writeFile(uri.fsPath, text);
    await vscode.window.showTextDocument(uri);
    const position = new vscode.Position(asked.line - 1, asked.character);
    const outline = (): Thenable<unknown> =>
      vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri);
    const hover = (): Thenable<unknown> => vscode.commands.executeCommand('vscode.executeHoverProvider', uri, position);
    await withTools(async (tools) => {
      await compare('outline', { path: name }, outline, tools, /function add59/, print);
      const { line, symbol } = asked;
      const input = { path: name, symbol, line };
      await compare('hover', input, hover, tools, /Adds 30/, print);
      // `hover` also asks where the symbol is declared, because a type can reveal the value of a constant in an excluded file.
      const definition = (): Thenable<unknown> =>
        vscode.commands.executeCommand('vscode.executeDefinitionProvider', uri, position);
      const both = (): Promise<unknown> => Promise.all([hover(), definition()]);
      await printUnavoidable(input, hover, both, tools, print);
    });
  });
}

async function compare(
  tool: keyof typeof bars,
  input: object,
  bare: () => Thenable<unknown>,
  { call, startSession, timeCall }: BenchTools,
  expected: RegExp,
  print: (line: string) => void,
): Promise<void> {
  await startSession();
  await retryFor(readyTimeoutMs, async () => {
    const answer = await call(tool, input);
    if (!expected.test(answer)) throw new Error(`${tool} says: ${answer}`);
  });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= warmUps + rounds; round++) {
    const bareMs = await msOf(bare);
    const ourMs = await timeCall(tool, input);
    if (round <= warmUps) continue;
    ours.push(ourMs);
    theirs.push(bareMs);
  }
  const peer = { name: 'the bare command', value: median(theirs) };
  print(`${tool}: ${median(ours).toFixed(2)} ms over MCP, ${peer.value.toFixed(2)} ms bare`);
  print(
    benchLineOf({
      bench: `tools.call.${tool}`,
      value: median(ours),
      unit: 'ms, p50',
      peer,
      bar: bars[tool],
      better: 'lower',
    }),
  );
}

/**
 * Prints the times that no tool can avoid: of a call to an HTTP server in this extension host that answers a constant, and of the two
 * commands that `hover` needs, at once.
 */
async function printUnavoidable(
  input: object,
  hover: () => Thenable<unknown>,
  both: () => Promise<unknown>,
  { startSession, timeCall, timePost }: BenchTools,
  print: (line: string) => void,
): Promise<void> {
  const constant = JSON.stringify({ result: { content: [{ text: 'x'.repeat(300) }] } });
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(constant));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  try {
    await startSession();
    const steps = {
      'hover over MCP': () => timeCall('hover', input),
      'the bare command': () => msOf(hover),
      'hover and definition at once, both bare': () => msOf(both),
      'a constant answer over HTTP': () => timePost(`http://127.0.0.1:${port}`, input),
    };
    const times = new Map<string, number[]>();
    for (let round = 1; round <= warmUps + rounds; round++) {
      for (const [step, time] of Object.entries(steps)) {
        const ms = await time();
        if (round > warmUps) times.set(step, [...(times.get(step) ?? []), ms]);
      }
    }
    for (const [step, all] of times) print(`  ${step}: ${median(all).toFixed(2)} ms`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function msOf(work: () => Thenable<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}
