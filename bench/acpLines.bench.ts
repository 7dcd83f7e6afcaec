import { ndJsonStream } from '@agentclientprotocol/sdk';
import { JsonLineReader } from '../src/wire/common/jsonLines';
import { median, printBenchLine } from './lib/benchLine';

/** Decoded lines per second, from the same 64 KiB chunks, against the line reader of the official SDK. */
const bar = 1;
const rounds = 15;
const chunkBytes = 64 * 1024;

/** What a lively agent sends: streamed words mostly, a file now and then, one very long list of commands. */
function typicalLines(): string[] {
  const update = (text: string): string => {
    const content = { type: 'text', text };
    const params = { sessionId: 'session-1', update: { sessionUpdate: 'agent_message_chunk', content } };
    return JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
  };
  const words = Array.from({ length: 10_000 }, (_, index) => update(`word ${index} é `.repeat(3)));
  const files = Array.from({ length: 50 }, (_, index) => update(`line ${index} of a file\n`.repeat(1_000)));
  const commands = update('a command and what it does. '.repeat(20_000));
  return [...words.slice(0, 5_000), ...files, commands, ...words.slice(5_000)];
}

function chunksOf(lines: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.slice(at, at + chunkBytes));
  return chunks;
}

function decodeHere(chunks: readonly Uint8Array[]): number {
  const reader = new JsonLineReader();
  let count = 0;
  for (const chunk of chunks) {
    reader.addChunk(chunk);
    while (reader.read()) count++;
  }
  return count;
}

async function decodeThere(chunks: readonly Uint8Array[]): Promise<number> {
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const reader = ndJsonStream(new WritableStream(), input).readable.getReader();
  let count = 0;
  while (!(await reader.read()).done) count++;
  return count;
}

async function linesPerSecond(expected: number, decode: () => number | Promise<number>): Promise<number> {
  globalThis.gc?.();
  const startMs = performance.now();
  const count = await decode();
  const ms = performance.now() - startMs;
  if (count !== expected) throw new Error(`Decoded ${count} of ${expected} lines`);
  return (count / ms) * 1_000;
}

async function main(): Promise<void> {
  const lines = typicalLines();
  const chunks = chunksOf(lines);
  const here: number[] = [];
  const there: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const mine = await linesPerSecond(lines.length, () => decodeHere(chunks));
    const theirs = await linesPerSecond(lines.length, () => decodeThere(chunks));
    // The first rounds warm up.
    if (round < 0) continue;
    here.push(mine);
    there.push(theirs);
  }
  printBenchLine({
    bench: 'acp.lines',
    value: median(here),
    unit: 'lines/s',
    peer: { name: 'ndJsonStream of @agentclientprotocol/sdk', value: median(there) },
    bar,
    better: 'higher',
  });
}

void main();
