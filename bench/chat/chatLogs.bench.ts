// What a conversation costs on disk and in memory: `chat.logSize`, `chat.openLarge`, `chat.loadHistory`. Run by
// `npm run bench -- chatLogs`.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { SubagentUpdates } from '../../src/acp/common/subagents/subagentUpdates';
import { SessionEventMapper } from '../../src/acp/common/session/sessionEventMapper';
import { V1Updates } from '../../src/acp/common/v1/v1Updates';
import { nullLogger } from '../../src/base/common/log';
import { NodeFiles } from '../../src/base/node/filePort';
import { systemClock } from '../../src/base/node/systemClock';
import type { ConversationFiles, ConversationHead } from '../../src/chat/common/chatStore';
import { logVersion, type LogRecord } from '../../src/chat/common/conversation/logRecord';
import { storedForm } from '../../src/chat/common/log/storedForm';
import { StoringPace } from '../../src/chat/common/log/storingPace';
import { ChatTranscript } from '../../src/chat/common/transcript/chatTranscript';
import { ConversationStore } from '../../src/chat/node/conversationStore';
import { FileSpool } from '../../src/chat/node/fileSpool';
import { SessionNormalizer } from '../../src/session/common/normalize/sessionNormalizer';
import type { BackendSession } from '../../src/session/common/sessionBackend';
import type { SessionEvent } from '../../src/session/common/sessionEvents';
import { TranscriptDocument } from '../../src/transcript/common/transcriptDocument';
import { FakeEditor } from '../../test/fake/fakeEditor';
import { benchAgent } from '../lib/benchAgent';
import { printBenchLine } from '../lib/benchLine';
import { tellParent } from '../lib/child';
import { runRole } from '../support/roleRun';

const mega = 1_000_000;
const sizeBar = 2.5;
const largeBytes = 1_000 * mega;
const largeOutputBytes = mega;
const openBarMs = 3_000;
const openBarMb = 150;
const historyTurns = 5_000;
const historyBytes = 220 * mega;
const historyBarMb = 200;
const id = 'bench-conversation';
const firstScreenEntries = 40;
const Opened = z.object({ firstScreenMs: z.number(), grownMb: z.number() });
const Loaded = z.object({ turns: z.number(), grownMb: z.number() });

const [role, folder = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  await inFolder(async (place) => {
    const output = textOf(mega);
    const cumulative = Array.from({ length: 500 }, (_, index) => ({
      content: [{ type: 'content', content: { type: 'text', text: output.slice(0, ((index + 1) * mega) / 500) } }],
    }));
    await benchSize('chat.logSize.cumulative', place, cumulative, mega);
  });
  await inFolder(async (place) => {
    const output = textOf(2 * mega);
    const deltas = Array.from({ length: 400 }, (_, index) => ({
      _meta: { terminal_output_delta: { data: output.slice(index * 5_000, (index + 1) * 5_000) } },
    }));
    await benchSize('chat.logSize.deltas', place, deltas, 2 * mega);
  });
  await inFolder(async (place) => {
    await writeOldLog(place);
    const { firstScreenMs, grownMb } = Opened.parse(await runRole('open', place));
    printBenchLine({ bench: 'chat.openLarge', value: firstScreenMs, unit: 'ms', bar: openBarMs, better: 'lower' });
    printBenchLine({ bench: 'chat.openLarge.memory', value: grownMb, unit: 'MB', bar: openBarMb, better: 'lower' });
  });
  await inFolder(async (place) => {
    const { turns, grownMb } = Loaded.parse(await runRole('load', place));
    if (turns !== historyTurns) throw new Error(`Only ${turns} of ${historyTurns} turns were kept.`);
    printBenchLine({ bench: 'chat.loadHistory', value: grownMb, unit: 'MB', bar: historyBarMb, better: 'lower' });
  });
}

async function inFolder(work: (place: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync(path.join(tmpdir(), 'backline-bench-'));
  try {
    await work(place);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Output of a command, of which no line is like another. */
function textOf(length: number): string {
  const lines: string[] = [];
  for (let index = 0, size = 0; size < length; index++) {
    const line = `[${index}] compiling module ${(index * 7919) % 10_007} of the project, ${index % 97} warnings\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join('').slice(0, length);
}

function storeIn(place: string): ConversationStore {
  return new ConversationStore({ folder: place, files: new NodeFiles(), clock: systemClock, log: nullLogger });
}

const head: ConversationHead = {
  version: logVersion,
  id,
  title: 'Bench',
  titledBy: 'user',
  backendId: 'bench',
  backendTitle: 'Bench',
  createdAt: 1,
  updatedAt: 1,
  state: 'idle',
};
const begin: LogRecord = { type: 'begin', at: 1, version: logVersion, id, backendId: 'bench' };

/** A command whose output comes in these updates, as a real agent sends them, on its way to the disk. */
async function benchSize(bench: string, place: string, updates: readonly object[], said: number): Promise<void> {
  const store = storeIn(place);
  const file = store.create(head);
  file.append(begin);
  const write = (event: SessionEvent): void => file.append({ type: 'event', at: Date.now(), event: storedForm(event) });
  const normalizer = new SessionNormalizer(write);
  const mapper = new SessionEventMapper('s1', systemClock);
  const reader = new V1Updates(mapper, new SubagentUpdates(mapper));
  const emit = (events: readonly SessionEvent[]): void => {
    for (const event of events) normalizer.normalize(event);
  };
  emit(mapper.startTurn('Build it', 'r1'));
  const call = { sessionUpdate: 'tool_call_update', toolCallId: 'c1' };
  emit(reader.mapUpdate({ ...call, sessionUpdate: 'tool_call', ...{ title: 'npm run build', kind: 'execute' } }));
  for (const update of updates) {
    emit(reader.mapUpdate({ ...call, ...update }));
    emit(mapper.takeTerminalUpdates());
    await new Promise((resolve) => setImmediate(resolve));
  }
  emit(reader.mapUpdate({ ...call, ...{ status: 'completed' } }));
  emit(mapper.endTurn({ stopReason: 'end_turn' }));
  await store.stop();
  const { size } = statSync(path.join(place, id, 'log.jsonl'));
  printBenchLine({ bench, value: size / said, unit: 'times the output', bar: sizeBar, better: 'lower' });
}

/** Writes a log as versions before 0.2 did: the whole output so far with each update. */
async function writeOldLog(place: string): Promise<void> {
  mkdirSync(path.join(place, id));
  mkdirSync(path.join(place, 'heads'));
  writeFileSync(path.join(place, 'heads', `${id}.json`), JSON.stringify(head));
  const stream = createWriteStream(path.join(place, id, 'log.jsonl'));
  const output = textOf(largeOutputBytes);
  let written = 0;
  const write = async (record: object): Promise<void> => {
    const line = `${JSON.stringify(record)}\n`;
    written += line.length;
    if (!stream.write(line)) await once(stream, 'drain');
  };
  await write(begin);
  for (let turn = 1; written < largeBytes; turn++) {
    const call = { session_id: 's1', call_id: `c${turn}` };
    const event = (name: string, data: object): object => ({ type: 'event', event: { event: name, data }, at: turn });
    await write({ type: 'prompt', id: `p${turn}`, text: `Build ${turn}`, attachments: [], at: turn });
    await write(event('prompt:submit', { session_id: 's1', prompt: `Build ${turn}` }));
    const named = { ...call, tool_name: 'execute', operation: 'execute', kind: 'execute', title: 'npm run build' };
    await write(event('tool:pre', { ...named, input: {} }));
    for (let index = 1; index <= 200; index++) {
      const content = [{ type: 'text', text: output.slice(0, (output.length * index) / 200) }];
      await write(event('tool:update', { ...call, content }));
    }
    await write(event('tool:post', { ...named, content: [{ type: 'text', text: output }], result: { success: true } }));
    await write(event('prompt:complete', { session_id: 's1', response: '', stop_reason: 'end_turn' }));
  }
  stream.end();
  await once(stream, 'close');
}

/** Watches the memory of this process. */
function watchMemory(): () => number {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return (Math.max(most, process.resourceUsage().maxRSS * 1024) - before) / mega;
  };
}

async function runOpen(): Promise<void> {
  const store = storeIn(folder);
  const grown = watchMemory();
  const start = performance.now();
  await store.start();
  const file = await store.open(id);
  const document = new TranscriptDocument(rethrow, new FileSpool(folder));
  const transcript = new ChatTranscript(document, 'Bench');
  await file.readStored((records) => {
    for (const record of records) transcript.applyRecord(record);
  });
  document.createFeed(firstScreenEntries).takePatch();
  if (document.size === 0) throw new Error('There is nothing to show.');
  const firstScreenMs = performance.now() - start;
  // The log is compacted now.
  await file.catchUp();
  await store.stop();
  const { size } = statSync(path.join(folder, id, 'log.jsonl'));
  if (size > largeBytes / 20) throw new Error(`The log was not compacted: ${size} bytes.`);
  tellParent({ firstScreenMs, grownMb: grown() });
  process.disconnect();
}

async function runLoad(): Promise<void> {
  const store = storeIn(folder);
  const file = store.create(head);
  file.append(begin);
  const document = new TranscriptDocument(rethrow, new FileSpool(folder));
  const transcript = new ChatTranscript(document, 'Bench');
  const backend = benchAgent(new FakeEditor({}, [process.cwd()]));
  const { canLoad } = await backend.capabilities();
  if (!canLoad) throw new Error('The agent of the bench cannot load.');
  const grown = watchMemory();
  let reading: Promise<void> | undefined;
  const session = await backend.loadSession('s1', {
    cwd: process.cwd(),
    onLoading: (loading) => {
      reading = follow(loading, transcript, file);
    },
  });
  await session.close();
  await reading;
  await file.flush();
  const turns = transcript.prompts.length;
  const grownMb = grown();
  await store.stop();
  await backend.stop();
  backend.dispose();
  tellParent({ turns, grownMb });
  process.disconnect();
}

async function follow(
  session: Pick<BackendSession, 'events' | 'holdBack'>,
  transcript: ChatTranscript,
  file: ConversationFiles,
): Promise<void> {
  const pace = new StoringPace(file);
  // As a conversation does.
  for await (const { event } of session.events({ isStoring: true })) {
    const record: LogRecord = { type: 'event', at: Date.now(), event: storedForm(event) };
    transcript.applyRecord(record);
    file.append(record);
    pace.keep(session);
  }
}

function rethrow(error: unknown): void {
  throw error;
}

/** An agent with a past session of 5,000 turns. */
function runHistoryAgent(): void {
  const Request = z.looseObject({ id: z.number(), method: z.string() });
  const send = (message: object): boolean =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const update = (sessionUpdate: string, text: string): boolean =>
    send({
      method: 'session/update',
      params: { sessionId: 's1', update: { sessionUpdate, content: { type: 'text', text } } },
    });
  const answer = textOf(historyBytes / historyTurns - 300);
  const replay = async (): Promise<void> => {
    for (let turn = 0; turn < historyTurns; turn++) {
      update('user_message_chunk', `Prompt ${turn}`);
      if (!update('agent_message_chunk', `Answer ${turn}: ${answer}`)) await once(process.stdout, 'drain');
    }
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id: requestId, method } = Request.parse(JSON.parse(line));
    if (method === 'initialize')
      send({ id: requestId, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
    else if (method === 'session/load') void replay().then(() => send({ id: requestId, result: {} }));
    else send({ id: requestId, result: {} });
  });
}

if (role === 'agent') runHistoryAgent();
else if (role === 'open') void runOpen();
else if (role === 'load') void runLoad();
else void main();
